/** What a model asked for in one answer. */
export interface DemoCall {
  readonly id: string;
  readonly name: string;
  readonly argumentsText: string;
}

export interface DemoReply {
  readonly text: string;
  readonly calls: readonly DemoCall[];
  readonly finish: string;
  /** How many pieces the answer came in; one for an answer in one piece. */
  readonly pieces: number;
}

export interface DemoTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface DemoTarget {
  readonly url: string;
  readonly model: string;
  readonly tools: readonly DemoTool[];
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** One conversation as a client of one front would hold it. */
export interface DemoConversation {
  say(text: string): Promise<DemoReply>;
  answer(results: readonly { readonly callId: string; readonly content: string }[]): Promise<DemoReply>;
}

/** One way to talk to the gateway. A new front adds one of these to the list in `index.ts`. */
export interface DemoClient {
  readonly name: string;
  readonly front: string;
  start(target: DemoTarget): DemoConversation;
}

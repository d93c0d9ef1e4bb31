import type { JsonObject } from '../../core/index.ts';
import type { SseFrame } from '../../wire/sse.ts';

/** What a model asked for in one answer. */
export interface DemoCall {
  readonly id: string;
  readonly name: string;
  /** JSON for functions, free text for custom tools. */
  readonly argumentsText: string;
}

/** Token counts as the answer gave them. */
export interface DemoUsage {
  readonly input: number;
  readonly output: number;
}

export interface DemoReply {
  readonly text: string;
  /** What the model thought, where it was shown. */
  readonly reasoning: string;
  readonly calls: readonly DemoCall[];
  /** `stop`, `tool-calls` or `length`; any other ending in the dialect's own word. */
  readonly finish: string;
  /** How many pieces the answer came in; one for an answer in one piece. */
  readonly pieces: number;
  readonly usage?: DemoUsage;
}

export interface DemoTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

export interface DemoResult {
  readonly callId: string;
  readonly content: string;
}

/** A conversation before any dialect; the results of one round of calls stay together. */
export type DemoMessage =
  | { readonly from: 'user'; readonly text: string }
  | { readonly from: 'model'; readonly reply: DemoReply }
  | { readonly from: 'tools'; readonly results: readonly DemoResult[] };

export interface DemoAsk {
  readonly model: string;
  readonly messages: readonly DemoMessage[];
  readonly tools: readonly DemoTool[];
  readonly stream: boolean;
}

/** A plain client of one front. A new front adds one of these to the list in `index.ts`. */
export interface DemoClient {
  readonly name: string;
  readonly front: string;
  readonly path: string;
  encodeRequest(ask: DemoAsk): JsonObject;
  readWhole(body: unknown): DemoReply;
  /** Throws on an error inside the stream, and on a stream without its proper ending. */
  readStream(frames: AsyncIterable<SseFrame>): Promise<DemoReply>;
}

export interface DemoTarget {
  readonly url: string;
  readonly model: string;
  readonly tools: readonly DemoTool[];
  readonly stream: boolean;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** The dialects a client can be told to speak. */
export type ClientFront = 'openai-chat' | 'openai-responses' | 'anthropic-messages';

/** Every client runs on the offline model, so that no account and no network is needed. */
export const DEMO_MODEL = 'demo/demo';

/** Clients insist on a key; a gateway that wants none takes any word. */
export const KEY = 'local';

/** What a client is told. */
export interface Target {
  /** The gateway's address without a path. */
  readonly url: string;
  readonly model: string;
}

/** How a client learns where the gateway is. */
export type Configuration =
  /** As users do it: `crosspoint connect <client> --write`. */
  | { readonly by: 'connect' }
  /** Settings files, each under its path below HOME. */
  | { readonly by: 'files'; readonly files: (target: Target) => Readonly<Record<string, string>> }
  /** A command of the client itself. */
  | { readonly by: 'command'; readonly args: (target: Target) => readonly string[] };

export interface ClientWay {
  readonly front: ClientFront;
  readonly configuration: Configuration;
  /**
   * The name under which the client knows the demo model, where a name it recognises changes what it sends. The gateway
   * is configured to serve it.
   */
  readonly modelAlias?: string;
  /** The client asks for one call at a time. */
  readonly forbidsParallelCalls?: boolean;
  /** Why this way does not work yet. Its tests must fail; once one passes, the suite asks for this line to go. */
  readonly knownGap?: string;
}

/** A published command-line client, run as it is. */
export interface InteropClient {
  /** As `crosspoint connect` calls it. */
  readonly name: string;
  readonly title: string;
  readonly packageName: string;
  readonly version: string;
  readonly bin: string;
  /** One headless run that may use every tool without asking. */
  readonly args: (prompt: string) => readonly string[];
  /** The same, going on with the last conversation; absent where the client does that only at a terminal. */
  readonly resumeArgs?: (prompt: string) => readonly string[];
  /** What switches telemetry, updates and other traffic off, and what its settings need from the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly ways: readonly ClientWay[];
}

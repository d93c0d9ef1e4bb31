// The contracts of the corridor: what every front and every upstream offers, whatever it speaks.
import type { CredentialVault } from '../config/credential.ts';
import type {
  GatewayError,
  IdSource,
  JsonObject,
  JsonValue,
  TerminalEvent,
  ToolResultPart,
  TurnEnd,
  TurnEvent,
  TurnRequest,
  TurnResult,
} from '../core/index.ts';

/** An HTTP request as a front sees it. */
export interface FrontRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Uint8Array;
}

export interface EncodeContext {
  readonly turnId: string;
  readonly request: TurnRequest;
  /** The name the client asked for; used when the upstream does not name its model. */
  readonly model: string;
  readonly nowMs: number;
  readonly newId: IdSource;
}

export interface ErrorReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/** Canon to wire, one turn. Every call returns complete frames, ready to be written. */
export interface TurnEncoder {
  /** Terminal events produce the dialect's proper ending, an error frame included. */
  encode(events: readonly TurnEvent[]): string;
  /** The ending of a turn whose frames were forwarded as raw bytes. */
  encodeRawEnding(terminal: TerminalEvent): string;
  /** The whole answer as one body, for fronts that keep answers; asked after a turn that ended well. */
  finishedBody?(end: TurnEnd): JsonObject | undefined;
}

/** Small JSON documents that a front keeps between requests. Each caller sees only its own; old ones go. */
export interface DocumentShelf {
  get(kind: string, id: string): Promise<JsonObject | undefined>;
  put(kind: string, id: string, value: JsonObject): Promise<void>;
  delete(kind: string, id: string): Promise<boolean>;
}

/** What a front may ask of the gateway beyond running the turn it decoded; made for one request. */
export interface FrontServices {
  readonly documents: DocumentShelf;
  readonly newId: IdSource;
  readonly nowMs: number;
  /** Runs a turn of the front's own making, such as a summary, under the same key and limits. */
  runTurn(request: TurnRequest): Promise<TurnResult>;
  /** How many tokens the upstream counts for this request, or undefined when it cannot tell. */
  countTokens(request: TurnRequest): Promise<number | undefined>;
}

export interface PreparedRequest {
  /** The request with a body that says everything itself. */
  readonly request: FrontRequest;
  /** Adds to the decoded turn what the body no longer says. */
  readonly complete?: (turn: TurnRequest) => TurnRequest;
}

export interface FrontReply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: JsonValue;
}

/** An endpoint of a dialect beside its turns. Errors that it throws are written as the front writes errors. */
export interface FrontRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly summary: string;
  handle(
    request: FrontRequest,
    params: Readonly<Record<string, string>>,
    services: FrontServices,
  ): Promise<FrontReply>;
}

/** A turn that may be kept: what was asked, in the canon and as the prepared body. */
export interface KeptTurn {
  readonly request: TurnRequest;
  readonly body: Uint8Array;
}

/** One dialect that clients speak to us. */
export interface Front {
  readonly dialect: string;
  /** POST paths that run a turn. */
  readonly turnPaths: readonly string[];
  readonly routes?: readonly FrontRoute[];
  /** Replaces references to kept documents by what they stand for, before anything is decoded. */
  prepare?(request: FrontRequest, services: FrontServices): Promise<PreparedRequest>;
  /** Throws a GatewayError `invalid-request` that names the field at fault. */
  decodeRequest(request: FrontRequest): TurnRequest;
  createEncoder(context: EncodeContext): TurnEncoder;
  /** The body of a non-streaming answer. Never called with `result.error` set. */
  encodeResult(result: TurnResult, context: EncodeContext): JsonValue;
  encodeError(error: GatewayError): ErrorReply;
  /** Keeps a finished answer; called before its last bytes leave, so that a follow-up finds it. */
  keepAnswer?(body: JsonObject, kept: KeptTurn, services: FrontServices): Promise<void>;
  /** What may be written in a long silence without meaning anything. */
  readonly keepAlive: string;
  readonly streamContentType: string;
}

/** Wire to canon, one turn: a machine without a socket. */
export interface TurnDecoder<Frame> {
  step(frame: Frame): TurnEvent[];
  /** The stream ended, well or (with a cause) badly: close what is open and end the turn, once. */
  halt(cause?: GatewayError): TurnEvent[];
  readonly isDone: boolean;
}

/** What arrived together leaves together. `raw` are the upstream's own bytes for these events, complete frames. */
export interface EventBatch {
  readonly events: readonly TurnEvent[];
  readonly raw?: Uint8Array;
}

export interface UpstreamCall {
  readonly turnId: string;
  /** `request.model` is already the upstream's own model name. */
  readonly request: TurnRequest;
  /** The client's body, present when it may be sent as it came, the model name aside. */
  readonly original?: { readonly dialect: string; readonly body: Uint8Array };
  /**
   * Results of calls whose answers travel in the stream (`resultVia: 'in-stream'`), for upstreams that yield
   * `awaiting-results` and then wait here. Resolves with the results that came, perhaps not yet all.
   */
  readonly receiveResults?: () => Promise<readonly ToolResultPart[]>;
  /** What an earlier turn said in `awaiting-results`: its stream is lost, take the turn up again. */
  readonly resume?: JsonObject;
  /** Whose turn it is: a key id, or nothing without keys. */
  readonly owner?: string;
  /** Documents of this caller, for upstreams that must remember more than a resume point (blobs by hash). */
  readonly documents?: DocumentShelf;
  /** The dialect whose raw frames the front can forward; others need not be attached to batches. */
  readonly rawDialect?: string;
  readonly signal: AbortSignal;
}

export interface ModelInfo {
  readonly id: string;
  readonly displayName?: string;
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly createdAtMs?: number;
  readonly ownedBy?: string;
}

/** One configured place that answers turns. */
export interface Upstream {
  readonly name: string;
  readonly kind: string;
  /** False: a request for several choices is refused before it is sent. */
  readonly supportsChoices: boolean;
  /**
   * Runs one turn. Throws a GatewayError while nothing has been answered yet (the gateway may then retry or fail
   * over); afterwards every failure is a `turn-error` event. The last batch always holds the terminal event.
   */
  openTurn(call: UpstreamCall): AsyncIterable<EventBatch>;
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Where the upstream can count the tokens of a request without answering it. */
  countTokens?(request: TurnRequest, signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

export interface UpstreamTimeouts {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/** What configuration says about one upstream; each kind takes what it needs. */
export interface UpstreamOptions {
  readonly name: string;
  readonly baseUrl?: string | undefined;
  readonly apiKey?: string | undefined;
  readonly accessToken?: string | undefined;
  /** Credentials of a login, for kinds that have one. */
  readonly vault?: CredentialVault | undefined;
  /** Called with every secret learnt later, so that no log shows it. */
  readonly onSecret?: ((secret: string) => void) | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly models?: readonly string[] | undefined;
  readonly timeouts: UpstreamTimeouts;
  readonly capabilities: readonly string[];
  readonly contextWindow?: number | undefined;
  readonly proxy?: string | undefined;
  /** Asked for every address before it is connected to; for upstreams that somebody else than the operator names. */
  readonly mayConnect?: ((address: string) => boolean) | undefined;
  readonly newId: IdSource;
}

export interface UpstreamKind {
  readonly kind: string;
  /** True when its stream stays open during tool calls: it yields `awaiting-results` and takes `receiveResults`. */
  readonly holdsTurns?: boolean;
  create(options: UpstreamOptions): Upstream;
}

// The contracts of native fronts: dialects whose client runs the tools while the server runs the loop, over Connect.
// The server carries bytes and keys, the front speaks the protocol, and the gateway joins it to the loop.
import type { DescMessage, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { GatewayError, IdSource, JsonValue } from '../core/index.ts';
import type { ConnectError } from '../wire/connect-end-stream.ts';
import type { DocumentShelf } from './dialect.ts';

/** Who calls, and what a call may use; made for one request. */
export interface NativeContext {
  /** A key id, or nothing without keys. */
  readonly owner: string;
  readonly keyName?: string;
  readonly allowedModels?: readonly string[];
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The address by which the client reached us, such as `http://127.0.0.1:18741`. */
  readonly origin: string;
  readonly signal: AbortSignal;
  readonly documents: DocumentShelf;
  readonly newId: IdSource;
  readonly nowMs: () => number;
  /** Counts what we do not know: a field, a frame, a call. */
  readonly onDrift: (kind: string) => void;
}

/** Whole messages with one client, whatever carried them: HTTP/2, or a stream one way and appends the other. */
export interface MessageChannel {
  /** Bare messages in the client's order. Ends when the client has no more; throws a GatewayError for broken frames. */
  readonly incoming: AsyncIterable<Uint8Array>;
  /** Resolves when there is room for more: true, or false when the client is gone. Never rejects. */
  send(message: Uint8Array): Promise<boolean>;
  /** True for a client that lost its stream and asks for the same one again. */
  readonly isRepeated: boolean;
  /** Fires when the client goes away before the end. */
  readonly signal: AbortSignal;
}

/** A unary call. Errors that it throws are written as the front writes errors. */
export interface UnaryMethod<
  Input extends DescMessage = DescMessage,
  Output extends DescMessage = DescMessage,
> {
  /** `/package.Service/Method`. */
  readonly path: string;
  readonly input: Input;
  readonly output: Output;
  /** Reads or writes messages about tools: the host's tools must be loaded first. */
  readonly needsTools?: boolean;
  handle(request: MessageShape<Input>, context: NativeContext): Promise<MessageInitShape<Output>>;
}

/** Keeps the message types inside the method while the front holds methods of all kinds. */
export function defineUnary<Input extends DescMessage, Output extends DescMessage>(
  method: UnaryMethod<Input, Output>,
): UnaryMethod {
  return method as unknown as UnaryMethod; // the server hands `handle` only what `input` has decoded
}

export interface StreamMethod {
  readonly path: string;
  /** `bidi`: both ways on one HTTP/2 stream. `appended`: opened by a request id, the client's side by BidiAppend. */
  readonly form: 'bidi' | 'appended';
  /** Resolves when the stream ended well; a GatewayError it throws becomes the stream's end frame. */
  open(channel: MessageChannel, context: NativeContext): Promise<void>;
}

/** A plain JSON endpoint beside the Connect calls. */
export interface NativeJsonRoute {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  handle(request: NativeJsonRequest, context: NativeContext): Promise<NativeJsonReply>;
}
export interface NativeJsonRequest {
  readonly query: URLSearchParams;
  readonly body: JsonValue | undefined;
}
export interface NativeJsonReply {
  readonly status: number;
  readonly body: JsonValue;
}

export interface NativeFront {
  readonly dialect: string;
  readonly unary: readonly UnaryMethod[];
  readonly streams: readonly StreamMethod[];
  readonly json?: readonly NativeJsonRoute[];
  /** Services whose calls belong here, known or not: an unknown one is answered empty and counted. */
  readonly services: readonly string[];
  /** The dialect's own words for a failure, in end frames and unary errors alike. */
  encodeError(error: GatewayError): ConnectError;
}

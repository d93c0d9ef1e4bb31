// The border between the agent protocol and how its bytes travel: the upstream's logic on one side, HTTP/2 or the
// HTTP/1.1 pair on the other. Each side is tested without the other.
import type { AgentClientMessage, AgentServerMessage } from '../../gen/agent/v1/run_pb.ts';

/** One open run. */
export interface AgentConnection {
  /** In order; resolves when the bytes are handed on, rejects with a GatewayError when the run is gone. */
  send(message: AgentClientMessage): Promise<void>;
  /** Ends after the server's end-of-stream; throws a GatewayError for its error, a cut or a stall. */
  readonly messages: AsyncIterable<AgentServerMessage>;
  /** False while the run waits for us: silence is no fault then. Connections that do not watch leave it out. */
  setExpecting?(isExpecting: boolean): void;
  /** Ends the run from our side; safe to call twice. */
  close(): void;
}

export interface OpenRun {
  /** Names the run to the server; stable over retries of one turn. */
  readonly requestId: string;
  readonly originalRequestId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

export interface AgentTransport {
  openRun(run: OpenRun): Promise<AgentConnection>;
  /** A unary Connect call: serialised message in, serialised message out. Errors are GatewayErrors. */
  callUnary(
    path: string,
    body: Uint8Array,
    options: { signal: AbortSignal; headers: Readonly<Record<string, string>> },
  ): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Who we are to the backend. Tokens are fetched, refreshed and shared behind this. */
export interface AgentCredentials {
  /** The bearer token for the next request; throws a GatewayError `unauthenticated` that says how to log in. */
  accessToken(signal: AbortSignal): Promise<string>;
  /** The backend refused this token: the next call of `accessToken` must bring another one, or throw. */
  refuse(token: string): void;
}

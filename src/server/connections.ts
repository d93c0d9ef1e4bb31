import type { Http2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { AnyResponse } from './stream-writer.ts';

interface Connection {
  readonly socket: Socket;
  readonly responses: Set<AnyResponse>;
  session?: Http2Session;
  /** Told to end; being told again would cost a listener each time. */
  isEnding?: boolean;
}

/** Kept on the socket itself: HTTP/2 shows requests a proxy of the socket, and properties are read through it. */
const CONNECTION = Symbol('connection');

type TaggedSocket = Socket & { [CONNECTION]?: Connection };

/**
 * Every open connection and what it is doing. Our own count, because Node's `closeIdleConnections` does not see the
 * HTTP/2 ones, nor those whose protocol is not known yet.
 */
export class Connections {
  readonly #open = new Set<Connection>();
  readonly #waiting: (() => void)[] = [];
  #isClosing = false;

  add(socket: TaggedSocket): void {
    const connection: Connection = { socket, responses: new Set() };
    socket[CONNECTION] = connection;
    this.#open.add(connection);
    socket.once('close', () => {
      this.#open.delete(connection);
      if (this.#open.size === 0) for (const notify of this.#waiting.splice(0)) notify();
    });
  }

  /** Resolves when no connection is left and everybody who listens to one has heard of it. */
  async allClosed(): Promise<void> {
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  addSession(session: Http2Session): void {
    const connection = connectionOf(session.socket);
    if (connection) connection.session = session;
    if (this.#isClosing) session.close();
  }

  /** True while an answer is owed or under way on this connection. */
  isBusy(socket: Socket): boolean {
    return (connectionOf(socket)?.responses.size ?? 0) > 0;
  }

  beginResponse(socket: Socket, response: AnyResponse): void {
    const connection = connectionOf(socket);
    if (!connection) return;
    connection.responses.add(response);
    if (this.#isClosing) announceClose(response);
    response.once('close', () => {
      connection.responses.delete(response);
      // After the current turn of the loop, so that the last bytes of the answer are on their way.
      if (this.#isClosing) setImmediate(() => this.#closeIdle());
    });
  }

  /** Idle connections end now, busy ones as soon as their answers are complete. */
  closeGracefully(): void {
    this.#isClosing = true;
    for (const { session, responses } of this.#open) {
      if (session) session.close();
      else for (const response of responses) announceClose(response);
    }
    this.#closeIdle();
  }

  destroyAll(): void {
    for (const { socket, session } of this.#open) {
      session?.destroy();
      socket.destroy();
    }
  }

  #closeIdle(): void {
    for (const connection of this.#open) {
      const { socket, session, responses, isEnding } = connection;
      // A closing HTTP/2 session ends its socket by itself once its streams are done.
      if (session !== undefined || responses.size > 0 || isEnding === true) continue;
      connection.isEnding = true;
      socket.destroySoon();
    }
  }
}

function connectionOf(socket: TaggedSocket): Connection | undefined {
  return socket[CONNECTION];
}

/** HTTP/1.1 only: the head of an answer still to be sent says that the connection ends with it. */
function announceClose(response: AnyResponse): void {
  if ('shouldKeepAlive' in response && !response.headersSent) response.shouldKeepAlive = false;
}

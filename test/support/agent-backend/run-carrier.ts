// The answer of one run on its socket, HTTP/1.1 or HTTP/2, and the ways to break it off.
import type { ServerResponse } from 'node:http';
import { constants, Http2ServerResponse } from 'node:http2';

export type AnyResponse = ServerResponse | Http2ServerResponse;

/** `stream`: this answer alone is reset. `connection`: the whole socket goes. `quietly`: the body ends as if it were whole. */
export type CutKind = 'stream' | 'connection' | 'quietly';

export class RunCarrier {
  readonly #response: AnyResponse;
  /** Resolves when nothing can be sent any more, whoever ended it. */
  readonly closed: Promise<void>;

  constructor(response: AnyResponse, contentType: string, isGzip: boolean) {
    this.#response = response;
    response.on('error', () => {}); // `closed` tells
    this.closed = new Promise((resolve) => response.once('close', () => resolve()));
    response.statusCode = 200;
    response.setHeader('content-type', contentType);
    if (isGzip) response.setHeader('connect-content-encoding', 'gzip');
  }

  /** Resolves when the bytes have left, or cannot any more. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#response.destroyed || this.#response.writableEnded) return;
    const written = new Promise<void>((resolve) => {
      // The two response types overload write differently; both take bytes and a callback.
      (this.#response as ServerResponse).write(bytes, () => resolve());
    });
    await Promise.race([written, this.closed]);
  }

  end(): void {
    this.#response.end();
  }

  cut(kind: CutKind): void {
    const response = this.#response;
    if (kind === 'quietly') {
      response.end();
    } else if (response instanceof Http2ServerResponse) {
      if (kind === 'stream') response.stream?.close(constants.NGHTTP2_INTERNAL_ERROR);
      else response.stream?.session?.destroy();
    } else {
      response.destroy();
    }
  }
}

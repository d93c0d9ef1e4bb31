// One request and its answer, the same for HTTP/1.1 and HTTP/2 (RFC 9110, 9112, 9113).
// HTTP/2 forbids Connection and Transfer-Encoding: this is the one place that would set them, and it looks first.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { constants, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { JsonValue } from '../core/index.ts';
import { readBody } from './read-body.ts';
import { parseRequestTarget } from './request-target.ts';
import { type AnyResponse, StreamWriter } from './stream-writer.ts';

export type AnyRequest = IncomingMessage | Http2ServerRequest;

export type ResponseHeaders = Readonly<Record<string, string>>;

/** Bytes of an unread upload that are thrown away to keep the connection; more than that closes it. */
const MAX_DISCARD_BYTES = 256 * 1024;
/** How long a refused upload is drained, so that the client reads our answer instead of a reset. */
const LINGER_MS = 2_000;
const BODY_IDLE_MS = 60_000;
/** As long as Node gives a whole HTTP/1.1 request; over HTTP/2 nobody else looks at the clock. */
const BODY_TOTAL_MS = 300_000;

export class Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names, one value each; HTTP/2's :authority is `host`. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly remoteAddress: string;
  /** Aborted when the client goes away before its answer is finished. */
  readonly signal: AbortSignal;
  /** Node's own objects, for what this wrapper does not cover. */
  readonly request: AnyRequest;
  readonly response: AnyResponse;
  readonly #isHttp2: boolean;
  readonly #defaultHeaders: Record<string, string> = {};
  #hasAnswered = false;

  constructor(request: AnyRequest, response: AnyResponse) {
    const target = parseRequestTarget(request.url);
    this.request = request;
    this.response = response;
    this.#isHttp2 = response instanceof Http2ServerResponse;
    this.method = request.method ?? 'GET';
    this.path = target.path;
    this.query = target.query;
    this.headers = singleValued(request.headers, target.host ?? authorityOf(request));
    this.remoteAddress = request.socket.remoteAddress ?? '';
    this.signal = watchClient(request, response);
  }

  /** True once an answer has begun; a second one would be ignored. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Headers for whatever answer follows, such as those of CORS. */
  addHeaders(headers: ResponseHeaders): void {
    Object.assign(this.#defaultHeaders, headers);
  }

  /** Throws `too-large` before reading when the length is declared, `cancelled` when the upload is cut. */
  async readBody(maxBytes: number, onBytes?: (bytes: number) => void): Promise<Uint8Array> {
    const declared = Number(this.headers['content-length'] ?? 0);
    // A client that asks first gets its refusal before it sends anything.
    if (this.headers.expect?.toLowerCase() === '100-continue' && declared <= maxBytes) {
      this.response.writeContinue();
    }
    return await readBody(this.request, {
      headers: this.headers,
      maxBytes,
      idleMs: BODY_IDLE_MS,
      totalMs: BODY_TOTAL_MS,
      onBytes,
      isCut: () => isResetStream(this.request),
    });
  }

  sendJson(status: number, body: JsonValue, headers: ResponseHeaders = {}): void {
    this.sendBytes(status, JSON.stringify(body), { 'content-type': 'application/json', ...headers });
  }

  /** A complete answer. Does nothing when one has begun or nobody is there to read it. */
  sendBytes(status: number, body: string | Uint8Array, headers: ResponseHeaders = {}): void {
    if (!this.#begin()) return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const hasBody = status !== 204 && status !== 304;
    const length: ResponseHeaders = hasBody ? { 'content-length': String(bytes.length) } : {};
    const mustLinger = this.#hasLargeUnreadBody();
    this.#writeHead(status, {
      'x-content-type-options': 'nosniff',
      ...headers,
      ...length,
      ...(mustLinger && !this.#isHttp2 ? { connection: 'close' } : {}),
    });
    if (!mustLinger) {
      // The two response types overload end differently; both take bytes.
      if (hasBody) (this.response as Http2ServerResponse).end(bytes);
      else this.response.end();
    } else {
      this.#lingerThenEnd(bytes);
    }
  }

  /** A streaming answer; closed from the start when one has begun or nobody is there to read it. */
  openStream(status: number, headers: ResponseHeaders = {}): StreamWriter {
    const isGone = !this.#begin();
    if (!isGone) this.#writeHead(status, { 'x-content-type-options': 'nosniff', ...headers });
    return new StreamWriter(this.response, { isGone });
  }

  #begin(): boolean {
    if (this.#hasAnswered || this.signal.aborted) return false;
    this.#hasAnswered = true;
    return true;
  }

  /** setHeader and no writeHead: the head then leaves in one packet with the first bytes. */
  #writeHead(status: number, headers: ResponseHeaders): void {
    this.response.statusCode = status;
    for (const [name, value] of Object.entries({ ...this.#defaultHeaders, ...headers })) {
      this.response.setHeader(name, value);
    }
  }

  #hasLargeUnreadBody(): boolean {
    if (this.request.complete) return false;
    const declared = this.headers['content-length'];
    if (declared !== undefined) return Number(declared) > MAX_DISCARD_BYTES;
    return this.#isHttp2 ? !this.request.readableEnded : this.headers['transfer-encoding'] !== undefined;
  }

  /**
   * The answer goes out while the upload is still coming. Closing at once would reset the connection and could destroy
   * the answer on its way, so what arrives is thrown away for a moment first (RFC 9112, section 9.6).
   */
  #lingerThenEnd(body: Uint8Array): void {
    const { request, response } = this;
    if (response instanceof Http2ServerResponse) {
      response.end(body, () => response.stream?.close(constants.NGHTTP2_NO_ERROR));
      return;
    }
    if (body.length > 0) response.write(body);
    else response.flushHeaders();
    const finish = () => {
      clearTimeout(timer);
      response.end();
    };
    const timer = setTimeout(finish, LINGER_MS);
    request.once('end', finish).once('close', finish).resume();
  }
}

/** Node ends the body of a reset HTTP/2 request as if it were whole; before our answer only a reset closes a stream. */
function isResetStream(request: AnyRequest): boolean {
  return request instanceof Http2ServerRequest && (request.stream?.closed ?? true);
}

function authorityOf(request: AnyRequest): string | undefined {
  return request instanceof Http2ServerRequest ? request.authority || undefined : undefined;
}

function singleValued(
  headers: IncomingHttpHeaders,
  host: string | undefined,
): Record<string, string | undefined> {
  const single: Record<string, string | undefined> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (name.startsWith(':') || value === undefined) continue;
    single[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  if (host !== undefined) single.host = host;
  return single;
}

function watchClient(request: AnyRequest, response: AnyResponse): AbortSignal {
  const controller = new AbortController();
  const abortUnlessEnded = () => {
    if (!response.writableEnded) controller.abort();
  };
  response.on('close', abortUnlessEnded);
  request.on('aborted', abortUnlessEnded);
  // Node reports a reset connection here too; without a listener it would end the process.
  request.on('error', abortUnlessEnded);
  response.on('error', abortUnlessEnded);
  return controller.signal;
}

// HTTP to an upstream, shared by every kind that speaks it: one connection pool per upstream, the three time-outs,
// and every failure as a GatewayError. Streams are read only as fast as they are taken.
import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { GatewayError, type JsonValue } from '../core/index.ts';
import type { UpstreamOptions, UpstreamTimeouts } from './dialect.ts';
import { guardedLookup } from './upstream-lookup.ts';

export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Throws a GatewayError when the stream is cut, stalls or is cancelled. Leaving the loop ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
  /** The whole body as text; throws `upstream-malformed` past the bound. */
  readText(maxBytes: number): Promise<string>;
}

export interface PostOptions {
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

const MODEL_LIST_BYTES = 16 * 1024 * 1024;

export class UpstreamHttp {
  readonly #base: URL;
  readonly #dispatcher: Dispatcher;
  readonly #headers: Record<string, string>;
  readonly #timeouts: UpstreamTimeouts;
  readonly #name: string;

  constructor(options: UpstreamOptions) {
    if (options.baseUrl === undefined) {
      throw new GatewayError('invalid-request', `Upstream ${options.name} needs a baseUrl.`);
    }
    this.#name = options.name;
    this.#base = parseBaseUrl(options.name, options.baseUrl);
    this.#timeouts = options.timeouts;
    this.#headers = { 'accept-encoding': 'identity', 'user-agent': 'crosspoint' };
    if (options.apiKey) this.#headers.authorization = `Bearer ${options.apiKey}`;
    for (const [name, value] of Object.entries(options.headers)) this.#headers[name.toLowerCase()] = value;
    // Our own watchdog keeps the time: it knows when the reader, not the upstream, is the slow one.
    const agentOptions = {
      connect: {
        timeout: options.timeouts.connectMs,
        noDelay: true,
        ...(options.mayConnect ? { lookup: guardedLookup(options.mayConnect) } : {}),
      },
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    this.#dispatcher = options.proxy
      ? new ProxyAgent({ uri: options.proxy, ...agentOptions })
      : new Agent(agentOptions);
  }

  post(path: string, body: string | Uint8Array, options: PostOptions): Promise<HttpAnswer> {
    const headers = { 'content-type': 'application/json', ...options.headers };
    return this.#send('POST', path, headers, body, options.signal);
  }

  async getJson(path: string, signal: AbortSignal): Promise<JsonValue> {
    const answer = await this.#send('GET', path, {}, null, signal);
    const text = await answer.readText(MODEL_LIST_BYTES);
    if (answer.status !== 200) {
      throw new GatewayError(
        answer.status >= 500 ? 'upstream-unavailable' : 'upstream-rejected',
        `Upstream ${this.#name} answered ${answer.status} to GET ${this.#url(path).pathname}.`,
        { detail: { upstreamStatus: answer.status } },
      );
    }
    try {
      return JSON.parse(text) as JsonValue;
    } catch (cause) {
      throw new GatewayError(
        'upstream-malformed',
        `Upstream ${this.#name} did not answer GET ${this.#url(path).pathname} with JSON.`,
        { cause },
      );
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #send(
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body: string | Uint8Array | null,
    signal: AbortSignal,
  ): Promise<HttpAnswer> {
    const watch = new Watchdog(signal, this.#name);
    const url = this.#url(path);
    watch.expect(this.#timeouts.firstByteMs, 'first byte');
    try {
      signal.throwIfAborted();
      const response = await this.#dispatcher.request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { ...this.#headers, ...headers },
        body,
        signal: watch.signal,
      });
      // Destroying a body mid-way emits an error on it; the loop below has already reported it.
      response.body.on('error', () => {});
      const stream = decompressed(response.body, headerText(response.headers['content-encoding']));
      const read = () => readBody(stream, response.body, watch, this.#timeouts.idleMs, this.#describe(url));
      return {
        status: response.statusCode,
        headers: flattenHeaders(response.headers),
        body: { [Symbol.asyncIterator]: read },
        readText: (maxBytes) => readText({ [Symbol.asyncIterator]: read }, maxBytes, this.#name),
      };
    } catch (thrown) {
      watch.close();
      throw toGatewayError(thrown, watch, this.#describe(url));
    }
  }

  /** A query of the base URL (Azure's api-version) stays beside that of the path. */
  #url(path: string): URL {
    const { pathname, searchParams } = new URL(path, 'http://path');
    const url = new URL(this.#base);
    url.pathname = this.#base.pathname.replace(/\/+$/, '') + pathname;
    for (const [name, value] of searchParams) url.searchParams.set(name, value);
    return url;
  }

  #describe(url: URL): string {
    return `Upstream ${this.#name} (${url.host})`;
  }
}

/** Aborts a request when its client leaves or when what is awaited does not come in time. */
class Watchdog {
  readonly #controller = new AbortController();
  readonly #clientSignal: AbortSignal;
  readonly #upstreamName: string;
  readonly #onClientAbort = () => this.#controller.abort(this.#clientSignal.reason);
  #timer: NodeJS.Timeout | undefined;
  #timeout: GatewayError | undefined;

  constructor(clientSignal: AbortSignal, upstreamName: string) {
    this.#clientSignal = clientSignal;
    this.#upstreamName = upstreamName;
    clientSignal.addEventListener('abort', this.#onClientAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get timeout(): GatewayError | undefined {
    return this.#timeout;
  }

  get isCancelled(): boolean {
    return this.#clientSignal.aborted;
  }

  expect(withinMs: number, what: string): void {
    this.relax();
    this.#timer = setTimeout(() => {
      this.#timeout = new GatewayError(
        'deadline-exceeded',
        `Upstream ${this.#upstreamName} sent no ${what} within ${withinMs} ms.`,
      );
      this.#controller.abort(this.#timeout);
    }, withinMs);
  }

  relax(): void {
    clearTimeout(this.#timer);
  }

  close(): void {
    this.relax();
    this.#clientSignal.removeEventListener('abort', this.#onClientAbort);
  }
}

async function* readBody(
  stream: Readable,
  source: Readable,
  watch: Watchdog,
  idleMs: number,
  upstream: string,
): AsyncGenerator<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  let isFirst = true;
  let isComplete = false;
  try {
    for (;;) {
      // The first-byte clock started with the request and goes on until the first byte of the body.
      if (!isFirst) watch.expect(idleMs, 'data');
      const next = await chunks.next();
      watch.relax();
      if (next.done) {
        isComplete = true;
        return;
      }
      isFirst = false;
      yield next.value;
    }
  } catch (thrown) {
    throw toGatewayError(thrown, watch, upstream);
  } finally {
    watch.close();
    if (!isComplete) source.destroy(); // ends the request; on a complete one it would only make an error object
  }
}

async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number, name: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new GatewayError('upstream-malformed', `Upstream ${name} answered more than ${maxBytes} bytes.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** We ask for plain bytes; a server or a middlebox that compresses all the same is understood. */
function decompressed(body: Readable, encoding: string | undefined): Readable {
  const zlib = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  let decoder: Transform;
  if (encoding === 'gzip' || encoding === 'x-gzip') decoder = createGunzip(zlib);
  else if (encoding === 'deflate') decoder = createInflate(zlib);
  else if (encoding === 'br') decoder = createBrotliDecompress();
  else return body;
  body.on('error', (error) => decoder.destroy(error));
  return body.pipe(decoder);
}

/** Faults that the next try meets again: retrying them only delays the message. */
const LASTING_FAULTS = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|ERR_TLS_|ERR_INVALID_URL|ENOTFOUND$)/;

function toGatewayError(thrown: unknown, watch: Watchdog, upstream: string): GatewayError {
  if (watch.timeout) return watch.timeout;
  if (watch.isCancelled) return new GatewayError('cancelled', 'The turn was cancelled.', { cause: thrown });
  if (thrown instanceof GatewayError) return thrown;
  const code = (thrown as { code?: unknown } | null)?.code;
  const faultCode = typeof code === 'string' ? code : 'no code';
  const retryable = !LASTING_FAULTS.test(faultCode);
  const message = `${upstream} ${explainFault(faultCode)} (${faultCode}).`;
  return new GatewayError('upstream-unavailable', message, { cause: thrown, retryable });
}

function explainFault(code: string): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'refused the connection: is it running, and is baseUrl right?';
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has a host name that does not resolve: check baseUrl';
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return 'did not accept the connection in time';
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return 'cut the connection';
    default:
      return 'could not be read';
  }
}

function parseBaseUrl(name: string, baseUrl: string): URL {
  if (!URL.canParse(baseUrl) || !/^https?:$/.test(new URL(baseUrl).protocol)) {
    throw new GatewayError(
      'invalid-request',
      `Upstream ${name}: baseUrl must be an http or https URL, e.g. http://127.0.0.1:8000/v1.`,
    );
  }
  return new URL(baseUrl);
}

function flattenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const text = headerText(value);
    if (text !== undefined) flat[name.toLowerCase()] = text;
  }
  return flat;
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

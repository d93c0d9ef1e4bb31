// The two ways to an agent backend behind one door: Run over HTTP/2, or RunSSE + BidiAppend over HTTP/1.1.
// The choice follows the official clients, except that plain `http://` means HTTP/2 from the first byte: that is what
// servers of this protocol on one's own machine speak.
import { GatewayError } from '../../../core/index.ts';
import type { UpstreamOptions, UpstreamTimeouts } from '../../dialect.ts';
import { UpstreamHttp } from '../../upstream-http.ts';
import { type Http2Options, NO_HTTP2, UpstreamHttp2 } from '../../upstream-http2.ts';
import { REAL_TIMERS, type Timers } from '../../upstream-timers.ts';
import type { AgentTransport, OpenRun } from '../agent-connection.ts';
import { Http2Breaker } from './http2-breaker.ts';
import { RunConnection } from './run-connection.ts';
import { runOverHttp1 } from './run-over-http1.ts';
import { RUN_PATH, runOverHttp2 } from './run-over-http2.ts';
import { ServerConfig } from './server-config.ts';
import { createUnaryCall, unaryOverHttp1, unaryOverHttp2 } from './unary-call.ts';

export type AgentTransportMode = 'auto' | 'http2' | 'http1';

export interface AgentTransportOptions {
  /** The upstream's name in the configuration, for messages. */
  readonly name: string;
  readonly baseUrl: string;
  /** Where `Run` goes, if not to `baseUrl` or to the host that the server's configuration names. */
  readonly agentUrl?: string | undefined;
  readonly timeouts: UpstreamTimeouts;
  readonly proxy?: string | undefined;
  /** Sent with every call; those of a call win. */
  readonly headers: Readonly<Record<string, string>>;
  readonly mode?: AgentTransportMode | undefined;
  readonly timers?: Timers | undefined;
  /** Certificates to trust instead of the system's, over HTTP/2. */
  readonly tls?: Http2Options['tls'];
}

export interface WatchedAgentTransport extends AgentTransport {
  openRun(run: OpenRun): Promise<RunConnection>;
}

/** Long streams keep their own time. */
const NO_LIMIT_MS = 2 ** 31 - 1;
/** A server or a load balancer that takes HTTP/2, but not a body that stays open. */
const BIDI_REFUSED: ReadonlySet<number> = new Set([421, 426, 464, 505]);

export function createAgentTransport(options: AgentTransportOptions): WatchedAgentTransport {
  const { name, timeouts, mode = 'auto', timers = REAL_TIMERS } = options;
  const baseUrl = parseUrl(name, 'baseUrl', options.baseUrl);
  const upstream = `Upstream ${name} (${baseUrl.host})`;
  const calls = new UpstreamHttp(httpOptions(options, timeouts));
  const streams = new UpstreamHttp(
    httpOptions(options, { ...timeouts, firstByteMs: NO_LIMIT_MS, idleMs: NO_LIMIT_MS }),
  );
  const http2 = new Http2Pool(options, timers);
  const post =
    mode === 'http2'
      ? unaryOverHttp2(http2.to(options.baseUrl), timeouts.firstByteMs, timers)
      : unaryOverHttp1(calls);
  const callUnary = createUnaryCall(post, upstream);
  const serverConfig = new ServerConfig(callUnary, baseUrl, timers);
  const breaker = new Http2Breaker(() => timers.nowMs());
  if (options.agentUrl !== undefined) parseUrl(name, 'agentUrl', options.agentUrl);

  async function openHttp2(run: OpenRun, headers: Record<string, string>, url: string) {
    const stream = await http2.to(url).openStream(
      RUN_PATH,
      {
        ...headers,
        'content-type': 'application/connect+proto',
        'connect-protocol-version': '1',
        'connect-accept-encoding': 'gzip',
      },
      run.signal,
    );
    stream.head.then(
      ({ status }) => {
        if (BIDI_REFUSED.has(status)) breaker.trip();
      },
      () => {}, // the reader of the run sees it
    );
    return runOverHttp2(stream, `Upstream ${name} (${new URL(url).host})`, timers);
  }

  async function openChannel(run: OpenRun) {
    const shared: Record<string, string> = {
      'user-agent': 'crosspoint',
      ...lowerCased(options.headers),
      ...lowerCased(run.headers),
    };
    const headers: Record<string, string> = {
      ...shared,
      'x-request-id': run.requestId,
      'x-original-request-id': run.originalRequestId,
    };
    if (mode === 'http2') return await openHttp2(run, headers, options.agentUrl ?? options.baseUrl);
    if (mode === 'auto') {
      const advice = await serverConfig.advice(shared);
      const advised = headers['x-ghost-mode'] === 'false' ? advice.sharedAgentUrl : advice.privateAgentUrl;
      const url = options.agentUrl ?? advised ?? options.baseUrl;
      const channel =
        advice.allowsBidi && (await breaker.attempt(() => openHttp2(run, headers, url), isWithoutHttp2));
      if (channel) return channel;
    }
    return runOverHttp1({ requestId: run.requestId, headers, streams, callUnary, upstream, timers });
  }

  return {
    async openRun(run) {
      if (run.signal.aborted) throw new GatewayError('cancelled', 'The turn was cancelled.');
      const channel = await openChannel(run);
      return new RunConnection(channel, { signal: run.signal, timers, idleMs: timeouts.idleMs });
    },
    callUnary: (path, body, call) =>
      callUnary(path, body, {
        ...call,
        headers: { ...lowerCased(options.headers), ...lowerCased(call.headers) },
      }),
    async close() {
      await Promise.all([calls.close(), streams.close(), http2.close()]);
    },
  };
}

/** HTTP/2 connections by address: the agent host is often another than that of the other calls. */
class Http2Pool {
  readonly #clients = new Map<string, UpstreamHttp2>();
  readonly #options: AgentTransportOptions;
  readonly #timers: Timers;

  constructor(options: AgentTransportOptions, timers: Timers) {
    this.#options = options;
    this.#timers = timers;
  }

  to(baseUrl: string): UpstreamHttp2 {
    let client = this.#clients.get(baseUrl);
    if (client === undefined) {
      const { name, timeouts, proxy, tls } = this.#options;
      client = new UpstreamHttp2({
        name,
        baseUrl,
        connectMs: timeouts.connectMs,
        proxy,
        tls,
        timers: this.#timers,
      });
      this.#clients.set(baseUrl, client);
    }
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients.values()].map((client) => client.close()));
  }
}

function isWithoutHttp2(thrown: unknown): boolean {
  return thrown instanceof GatewayError && thrown.detail?.reason === NO_HTTP2;
}

function httpOptions(options: AgentTransportOptions, timeouts: UpstreamTimeouts): UpstreamOptions {
  const { name, baseUrl, proxy } = options;
  // Ids are for turns of the gateway; the transport makes none.
  return { name, baseUrl, proxy, timeouts, headers: {}, capabilities: [], newId: (prefix) => prefix };
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function parseUrl(name: string, key: string, url: string): URL {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return new URL(url);
  throw new GatewayError('invalid-request', `Upstream ${name}: ${key} must be an http or https URL.`);
}

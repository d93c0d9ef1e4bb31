import type { Metrics } from '../observe/index.ts';
import type { Exchange } from './exchange.ts';
import type { Route } from './router.ts';

export interface HealthOptions {
  readonly isDraining: () => boolean;
  /** Throws when the store cannot be used. */
  readonly checkStore: () => Promise<void>;
  readonly metrics: Pick<Metrics, 'render'>;
  /** Throws for those who may not read the metrics; everybody may when left out. */
  readonly authorizeMetrics?: (exchange: Exchange) => void | Promise<void>;
}

const STATE_SCHEMA = { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] };
const NO_STORE = { 'cache-control': 'no-store' };

/** For load balancers and process supervisors: alive, ready, numbers. */
export function createHealthRoutes(options: HealthOptions): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      doc: { summary: 'The process is alive', tag: 'health', auth: 'none', response: STATE_SCHEMA },
      handle: (exchange) => exchange.sendJson(200, { status: 'ok' }, NO_STORE),
    },
    {
      method: 'GET',
      path: '/readyz',
      doc: {
        summary: 'New requests are welcome; 503 while draining or without store',
        tag: 'health',
        auth: 'none',
        response: STATE_SCHEMA,
      },
      async handle(exchange) {
        const status = await readiness(options);
        exchange.sendJson(status === 'ready' ? 200 : 503, { status }, NO_STORE);
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      doc: {
        summary: 'Prometheus metrics',
        tag: 'health',
        auth: options.authorizeMetrics ? 'admin' : 'none',
        response: { type: 'string' },
        contentType: 'text/plain',
      },
      async handle(exchange) {
        await options.authorizeMetrics?.(exchange);
        const { body, contentType } = await options.metrics.render();
        exchange.sendBytes(200, body, { 'content-type': contentType });
      },
    },
  ];
}

async function readiness({ isDraining, checkStore }: HealthOptions): Promise<string> {
  if (isDraining()) return 'draining';
  try {
    await checkStore();
    return 'ready';
  } catch {
    return 'store-failing'; // the reason names files of this machine; it belongs in the log, not here
  }
}

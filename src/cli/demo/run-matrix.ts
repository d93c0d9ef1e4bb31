// Every front with every upstream, over real sockets: a far gateway serves the demo model in all dialects, and a near
// one reaches it through one upstream of each kind.
import path from 'node:path';
import { type Config, makeUpstream } from '../../config/index.ts';
import { omitUndefined } from '../../core/index.ts';
import type { CliContext, StartedGateway } from '../context.ts';
import type { DemoClient } from './demo-client.ts';
import { startDemoGateway } from './demo-gateway.ts';
import { PARALLEL_CALLS } from './demo-tasks.ts';
import { DEMO_CLIENTS } from './index.ts';
import { runDemo } from './run-demo.ts';

export interface MatrixCell {
  readonly front: string;
  readonly upstream: string;
  readonly stream: boolean;
  /** A gap is a pair that this version cannot show; `problem` then says why. */
  readonly state: 'ok' | 'failed' | 'gap';
  readonly problem?: string;
  readonly durationMs?: number;
}

/** Where the far gateway serves what an upstream of each kind calls; the demo upstream needs no server. */
const FAR_PATHS: Readonly<Record<string, string | undefined>> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '/v1',
};

export interface MatrixOptions {
  readonly workspace: string;
  readonly signal: AbortSignal;
}

export async function runMatrix(context: CliContext, options: MatrixOptions): Promise<MatrixCell[]> {
  const { fronts, kinds: allKinds } = await context.dialects();
  // The far gateway can stand for a kind only if it serves that dialect itself.
  const kinds = allKinds.filter(
    ({ kind }) => kind === 'demo' || fronts.some(({ dialect }) => dialect === kind),
  );
  const cells: MatrixCell[] = [];
  const gateways: StartedGateway[] = [];
  try {
    const far = await startDemoGateway(context, path.join(options.workspace, 'far'));
    gateways.push(far);
    const reachable = reachFar(kinds, far.url);
    const near = await startDemoGateway(context, path.join(options.workspace, 'near'), reachable);
    gateways.push(near);
    for (const { dialect } of fronts) {
      const client = DEMO_CLIENTS.find(({ front }) => front === dialect);
      for (const { kind } of kinds) {
        const isReachable = kind === 'demo' || kind in reachable;
        for (const stream of [false, true]) {
          const pair = { front: dialect, upstream: kind, stream };
          if (!client)
            cells.push({ ...pair, state: 'gap', problem: 'the demo has no client for this front' });
          else if (!isReachable)
            cells.push({ ...pair, state: 'gap', problem: 'the demo has no server of this kind' });
          else cells.push({ ...pair, ...(await runPair(context, client, near.url, kind, stream, options)) });
        }
      }
    }
    return cells;
  } finally {
    // The near one first: it holds connections to the far one.
    for (const gateway of gateways.reverse()) await gateway.close();
  }
}

function reachFar(kinds: readonly { readonly kind: string }[], farUrl: string): Config['upstreams'] {
  const upstreams: Config['upstreams'] = {};
  for (const { kind } of kinds) {
    const farPath = FAR_PATHS[kind];
    if (farPath !== undefined)
      upstreams[kind] = makeUpstream({ kind, baseUrl: farUrl + farPath, retries: 0 });
  }
  return upstreams;
}

async function runPair(
  context: CliContext,
  client: DemoClient,
  url: string,
  kind: string,
  stream: boolean,
  { workspace, signal }: MatrixOptions,
): Promise<Pick<MatrixCell, 'state' | 'problem' | 'durationMs'>> {
  const { fetch, nowMs } = context;
  const model = kind === 'demo' ? 'demo/demo' : `${kind}/demo/demo`;
  const target = { url, model, stream, fetch, signal };
  const { ok, problem, durationMs } = await runDemo({
    client,
    task: PARALLEL_CALLS,
    target,
    workspace,
    nowMs,
  });
  return omitUndefined({ state: ok ? ('ok' as const) : ('failed' as const), problem, durationMs });
}

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

type FarUpstream = Parameters<typeof makeUpstream>[0];

/** How an upstream of each kind reaches the far gateway; the demo upstream needs no server. */
const FAR_UPSTREAMS: Readonly<Record<string, ((url: string) => FarUpstream) | undefined>> = {
  'openai-chat': (url) => ({ kind: 'openai-chat', baseUrl: `${url}/v1` }),
  'openai-responses': (url) => ({ kind: 'openai-responses', baseUrl: `${url}/v1` }),
  'anthropic-messages': (url) => ({ kind: 'anthropic-messages', baseUrl: `${url}/v1` }),
  'cursor-agent': (url) => ({
    kind: 'cursor-agent',
    baseUrl: url,
    apiKey: 'any', // nobody asks for keys on loopback, but the protocol exchanges one
    // The caller's own tools, and none that the far gateway would offer beside them.
    headers: { 'x-cursor-agent-allowed-tools': 'mcp_tool_call' },
  }),
};

export interface MatrixOptions {
  readonly workspace: string;
  readonly signal: AbortSignal;
}

export async function runMatrix(context: CliContext, options: MatrixOptions): Promise<MatrixCell[]> {
  const { fronts, kinds } = await context.dialects();
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
    const upstream = FAR_UPSTREAMS[kind]?.(farUrl);
    if (upstream !== undefined) upstreams[kind] = makeUpstream({ ...upstream, retries: 0 });
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

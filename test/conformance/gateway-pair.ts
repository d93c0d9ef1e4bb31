// Two gateways on real sockets: the far one serves the demo model in every dialect, the near one reaches it through
// one upstream of each kind.
import type { Config, makeUpstream } from '../../src/config/index.ts';
import type { TurnsBody } from '../support/bodies.ts';
import { readBody } from '../support/bodies.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

type FarUpstream = Parameters<typeof makeUpstream>[0];

/** How each kind reaches the far gateway; `undefined` means that the kind needs no server. */
const FAR_UPSTREAMS: Readonly<Record<string, ((url: string) => FarUpstream) | undefined>> = {
  'openai-chat': (url) => ({ kind: 'openai-chat', baseUrl: `${url}/v1` }),
  'openai-responses': (url) => ({ kind: 'openai-responses', baseUrl: `${url}/v1` }),
  'anthropic-messages': (url) => ({ kind: 'anthropic-messages', baseUrl: `${url}/v1` }),
  'cursor-agent': (url) => ({
    kind: 'cursor-agent',
    baseUrl: url,
    apiKey: 'any',
    // The caller's own tools and instructions, and none of the far gateway's.
    headers: { 'x-cursor-agent-allowed-tools': 'mcp_tool_call' },
    capabilities: ['prompt=custom-prompt'],
  }),
  demo: undefined,
};

export interface GatewayPair {
  readonly near: TestGateway;
  readonly far: TestGateway;
  /** The name under which the near gateway knows a model of the demo, through an upstream of this kind. */
  modelName(kind: string, model: string): string;
  /** Every gateway that takes part in a turn of this kind. */
  involved(kind: string): readonly TestGateway[];
  stop(): Promise<void>;
}

export async function startGatewayPair(kinds: readonly string[]): Promise<GatewayPair> {
  const unknown = kinds.filter((kind) => !(kind in FAR_UPSTREAMS));
  if (unknown.length > 0)
    throw new Error(
      `The conformance tests have no server for the upstream kind ${unknown.join(', ')}: add it to FAR_UPSTREAMS in gateway-pair.ts.`,
    );
  const far = await startTestGateway({ config: withoutRetries });
  const remote = kinds.flatMap((kind) => {
    const upstream = FAR_UPSTREAMS[kind]?.(far.url);
    return upstream === undefined ? [] : [[kind, upstream] as const];
  });
  const near = await startTestGateway({ upstreams: Object.fromEntries(remote), config: withoutRetries });
  const isRemote = (kind: string) => FAR_UPSTREAMS[kind] !== undefined;
  return {
    near,
    far,
    modelName: (kind, model) => (isRemote(kind) ? `${kind}/demo/${model}` : `demo/${model}`),
    involved: (kind) => (isRemote(kind) ? [near, far] : [near]),
    stop: async () => {
      await near.stop();
      await far.stop();
    },
  };
}

/** An error that was asked for should come at once. */
function withoutRetries(config: Config): Config {
  const upstreams = Object.entries(config.upstreams).map(
    ([name, one]) => [name, { ...one, retries: 0 }] as const,
  );
  return { ...config, upstreams: Object.fromEntries(upstreams) };
}

/** Asks again and again until the gateway's own list of turns is as wanted; the test's time limit is the bound. */
export async function turnsWhen(
  gateway: TestGateway,
  isWanted: (turns: TurnsBody) => boolean,
): Promise<TurnsBody> {
  for (;;) {
    const turns = await readBody<TurnsBody>(gateway.admin('GET', '/api/turns'));
    if (isWanted(turns)) return turns;
  }
}

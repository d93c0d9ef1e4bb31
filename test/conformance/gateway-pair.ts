// Two gateways on real sockets: the far one serves the demo model in every dialect, the near one reaches it through
// one upstream of each kind.
import type { Config } from '../../src/config/index.ts';
import type { TurnsBody } from '../support/bodies.ts';
import { readBody } from '../support/bodies.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

/** Where each kind finds the far gateway; `undefined` means that the kind needs no server. */
const FAR_PATHS: Readonly<Record<string, string | undefined>> = {
  'openai-chat': '/v1',
  'openai-responses': '/v1',
  'anthropic-messages': '/v1',
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
  const unknown = kinds.filter((kind) => !(kind in FAR_PATHS));
  if (unknown.length > 0)
    throw new Error(
      `The conformance tests have no server for the upstream kind ${unknown.join(', ')}: add it to FAR_PATHS in gateway-pair.ts.`,
    );
  const far = await startTestGateway({ config: withoutRetries });
  const remote = kinds.flatMap((kind) => {
    const path = FAR_PATHS[kind];
    return path === undefined ? [] : [[kind, { kind, baseUrl: far.url + path }] as const];
  });
  const near = await startTestGateway({ upstreams: Object.fromEntries(remote), config: withoutRetries });
  const isRemote = (kind: string) => FAR_PATHS[kind] !== undefined;
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

import type { Config } from '../config/index.ts';
import { GatewayError, type IdSource, randomId } from '../core/index.ts';
import type { ModelInfo, Upstream } from '../dialects/dialect.ts';
import { openVault } from './account-desk.ts';
import type { CliContext } from './context.ts';

export interface UpstreamModels {
  readonly name: string;
  readonly kind: string;
  readonly models: readonly ModelInfo[];
  readonly error?: GatewayError;
}

/** Asks every upstream of a configuration for its models, directly and all at once; for when no gateway runs. */
export async function listUpstreamModels(
  context: CliContext,
  config: Config,
  timeoutMs: number,
  newId: IdSource = randomId,
): Promise<UpstreamModels[]> {
  const { kinds } = await context.dialects();
  return Promise.all(
    Object.entries(config.upstreams).map(async ([name, settings]): Promise<UpstreamModels> => {
      const { kind } = settings;
      let upstream: Upstream | undefined;
      try {
        upstream = kinds
          .find((known) => known.kind === kind)
          ?.create({ ...settings, vault: openVault(context), name, newId });
        if (!upstream)
          throw new GatewayError('unimplemented', `This version has no upstreams of the kind ${kind}.`);
        return { name, kind, models: await upstream.listModels(AbortSignal.timeout(timeoutMs)) };
      } catch (thrown) {
        return { name, kind, models: [], error: GatewayError.from(thrown, 'upstream-unavailable') };
      } finally {
        await upstream?.close();
      }
    }),
  );
}

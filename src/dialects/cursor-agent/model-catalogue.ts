// The backend's models: the flat list that its command line client reads (`GetUsableModels`), with the context sizes
// that only the larger list has (`AvailableModels`). Either may be missing on servers other than Cursor's.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { GatewayError, omitUndefined } from '../../core/index.ts';
import {
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
} from '../../gen/agent/v1/agent_service_pb.ts';
import {
  AvailableModelsRequestSchema,
  AvailableModelsResponseSchema,
} from '../../gen/aiserver/v1/models_pb.ts';
import type { ModelInfo } from '../dialect.ts';

const USABLE_MODELS = '/agent.v1.AgentService/GetUsableModels';
const AVAILABLE_MODELS = '/aiserver.v1.AiService/AvailableModels';
const FRESH_MS = 5 * 60_000;

/** A unary call with its headers already in place. */
export type UnaryCall = (path: string, body: Uint8Array, signal: AbortSignal) => Promise<Uint8Array>;

export class ModelCatalogue {
  readonly #call: UnaryCall;
  readonly #nowMs: () => number;
  readonly #ids = new Set<string>();
  #models: readonly ModelInfo[] | undefined;
  #readAtMs = 0;

  constructor(call: UnaryCall, nowMs: () => number) {
    this.#call = call;
    this.#nowMs = nowMs;
  }

  /** Ids that were listed at some time; empty before anybody asked. */
  get knownIds(): ReadonlySet<string> {
    return this.#ids;
  }

  async list(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    if (this.#models && this.#nowMs() - this.#readAtMs < FRESH_MS) return this.#models;
    const [usable, available] = await Promise.allSettled([
      this.#readUsable(signal),
      this.#readAvailable(signal),
    ]);
    if (usable.status === 'rejected' && available.status === 'rejected') {
      throw GatewayError.from(usable.reason, 'upstream-malformed');
    }
    const known = new Map(
      (available.status === 'fulfilled' ? available.value : []).map((model) => [model.id, model]),
    );
    const listed = usable.status === 'fulfilled' ? usable.value : [];
    const models =
      listed.length > 0 ? listed.map((model) => ({ ...known.get(model.id), ...model })) : [...known.values()];
    for (const { id } of [...models, ...known.values()]) this.#ids.add(id);
    this.#models = models;
    this.#readAtMs = this.#nowMs();
    return models;
  }

  async #readUsable(signal: AbortSignal): Promise<ModelInfo[]> {
    const body = toBinary(GetUsableModelsRequestSchema, create(GetUsableModelsRequestSchema));
    const answer = fromBinary(GetUsableModelsResponseSchema, await this.#call(USABLE_MODELS, body, signal));
    return answer.models
      .filter(({ modelId }) => modelId !== '')
      .map(({ modelId, displayName }) =>
        omitUndefined({ id: modelId, displayName: displayName || undefined }),
      );
  }

  async #readAvailable(signal: AbortSignal): Promise<ModelInfo[]> {
    const request = create(AvailableModelsRequestSchema, { useModelParameters: true });
    const body = toBinary(AvailableModelsRequestSchema, request);
    const answer = fromBinary(
      AvailableModelsResponseSchema,
      await this.#call(AVAILABLE_MODELS, body, signal),
    );
    return answer.models.flatMap((model) => {
      const { clientDisplayName, contextTokenLimit, variants } = model;
      const contextWindow = contextTokenLimit && contextTokenLimit > 0 ? contextTokenLimit : undefined;
      const slugs = variants.flatMap(({ variantStringRepresentation, legacySlug }) => [
        variantStringRepresentation,
        legacySlug,
      ]);
      const ids = new Set([model.name, ...slugs].filter((id): id is string => id !== undefined && id !== ''));
      return [...ids].map((id) =>
        omitUndefined({ id, displayName: clientDisplayName || undefined, contextWindow }),
      );
    });
  }
}

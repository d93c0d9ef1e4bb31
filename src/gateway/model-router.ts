import { GatewayError, type ModelAlternative, nearestName } from '../core/index.ts';
import type { ModelInfo, Upstream } from '../dialects/dialect.ts';

export interface ModelTarget {
  readonly upstream: Upstream;
  /** The upstream's own name for the model. */
  readonly model: string;
  /** Applied when the request names no effort of its own. */
  readonly reasoningEffort?: string | undefined;
}

/** What a model name means: the places to try, in order. */
export interface Route {
  readonly name: string;
  readonly targets: readonly [ModelTarget, ...ModelTarget[]];
  /** Which other reading of the name was taken, when the name itself meant nothing. */
  readonly alternative?: ModelAlternative;
}

/** A public name under `models:` in the configuration. */
export interface ModelAlias {
  readonly upstream?: string | undefined;
  readonly model?: string | undefined;
  readonly targets?: readonly string[] | undefined;
  readonly reasoningEffort?: string | undefined;
  readonly contextWindow?: number | undefined;
}

export interface ListedModel extends ModelInfo {
  readonly upstream: string;
}

export interface ModelRouterOptions {
  readonly upstreams: readonly Upstream[];
  readonly aliases: Readonly<Record<string, ModelAlias>>;
  readonly defaultModel: string;
  readonly nowMs: () => number;
  readonly listTimeoutMs?: number;
}

interface CachedList {
  readonly expiresAtMs: number;
  readonly models: Promise<readonly ModelInfo[] | undefined>;
}

const LIST_CACHE_MS = 60_000;
/** A server that was down a moment ago may be up now; ask again soon, but not for every request. */
const FAILED_LIST_CACHE_MS = 5_000;

/**
 * Finds where a model name leads: a name under `models:`, then `upstream/model`, then a bare name that exactly
 * one upstream serves. No name at all means the default.
 */
export class ModelRouter {
  readonly #upstreams = new Map<string, Upstream>();
  readonly #aliases: Readonly<Record<string, ModelAlias>>;
  readonly #options: ModelRouterOptions;
  readonly #lists = new Map<string, CachedList>();

  constructor(options: ModelRouterOptions) {
    for (const upstream of options.upstreams) this.#upstreams.set(upstream.name, upstream);
    this.#aliases = options.aliases;
    this.#options = options;
    for (const name of Object.keys(options.aliases)) this.#aliasTargets(name); // fails at start, not at first use
  }

  /** Alternatives are other readings of the name; an exact match of the name itself always wins. */
  async resolve(requested: string, alternatives: readonly ModelAlternative[] = []): Promise<Route> {
    const name = requested === '' ? this.#options.defaultModel : requested;
    const exact = await this.#find(name, alternatives.length > 0);
    if (exact) return exact;
    for (const alternative of alternatives) {
      const route = await this.#find(alternative.model || this.#options.defaultModel, false);
      if (route) return { ...route, alternative };
    }
    const direct = this.#parseTarget(name);
    if (direct) return { name, targets: [direct] };
    throw this.#unknownModel(name, await this.#listAll());
  }

  /** Everything that can be asked for by name, public names first. Upstreams that do not answer are left out. */
  async list(): Promise<ListedModel[]> {
    const byUpstream = await this.#listAll();
    const listed: ListedModel[] = [];
    for (const [name, alias] of Object.entries(this.#aliases)) {
      const [target] = this.#aliasTargets(name);
      const info = byUpstream.get(target.upstream.name)?.find((model) => model.id === target.model);
      const contextWindow = alias.contextWindow ?? info?.contextWindow;
      listed.push({
        ...info,
        id: name,
        upstream: target.upstream.name,
        ...(contextWindow === undefined ? {} : { contextWindow }),
      });
    }
    for (const [upstream, models] of byUpstream) {
      for (const model of models) listed.push({ ...model, id: `${upstream}/${model.id}`, upstream });
    }
    return listed;
  }

  get upstreams(): readonly Upstream[] {
    return [...this.#upstreams.values()];
  }

  /** `mustBeListed`: a name such as `upstream/model-suffix` counts only if the upstream says it has it. */
  async #find(name: string, mustBeListed: boolean): Promise<Route | undefined> {
    if (Object.hasOwn(this.#aliases, name)) return { name, targets: this.#aliasTargets(name) };
    const direct = this.#parseTarget(name);
    if (direct && !mustBeListed) return { name, targets: [direct] };
    const byUpstream = await this.#listAll();
    if (direct) {
      const isListed = byUpstream.get(direct.upstream.name)?.some((model) => model.id === direct.model);
      if (isListed) return { name, targets: [direct] };
    }
    return this.#findBareName(name, byUpstream);
  }

  #findBareName(name: string, byUpstream: Map<string, readonly ModelInfo[]>): Route | undefined {
    const serving = [...byUpstream].filter(([, models]) => models.some((model) => model.id === name));
    const targets = serving.flatMap(([upstreamName]) => this.#upstreams.get(upstreamName) ?? []);
    const [only, ...others] = targets;
    if (!only) return undefined;
    if (others.length === 0) return { name, targets: [{ upstream: only, model: name }] };
    const choices = targets.map((upstream) => `${upstream.name}/${name}`).join(' or ');
    throw new GatewayError(
      'invalid-request',
      `Model ${name} is served by several upstreams; write ${choices}.`,
      { detail: { param: 'model', reason: 'ambiguous_model' } },
    );
  }

  #unknownModel(name: string, byUpstream: Map<string, readonly ModelInfo[]>): GatewayError {
    const known = Object.keys(this.#aliases);
    for (const [upstream, models] of byUpstream) {
      for (const model of models) known.push(`${upstream}/${model.id}`, model.id);
    }
    const nearest = nearestName(name, known);
    const hint = nearest ? `Did you mean ${nearest}?` : 'GET /v1/models lists what there is.';
    return new GatewayError('not-found', `There is no model ${JSON.stringify(name)}. ${hint}`, {
      detail: { param: 'model', reason: 'model_not_found' },
    });
  }

  #aliasTargets(name: string): readonly [ModelTarget, ...ModelTarget[]] {
    const alias = this.#aliases[name];
    const written = alias?.targets ?? [`${alias?.upstream ?? ''}/${alias?.model ?? name}`];
    const targets = written.map((target) => {
      const parsed = this.#parseTarget(target);
      if (!parsed) {
        throw new GatewayError(
          'invalid-request',
          `models.${name}: target ${JSON.stringify(target)} names no upstream; write upstream/model with one of ${[...this.#upstreams.keys()].join(', ')}.`,
        );
      }
      return { ...parsed, reasoningEffort: alias?.reasoningEffort };
    });
    const [first, ...rest] = targets;
    if (!first)
      throw new GatewayError('invalid-request', `models.${name}: targets is empty; name at least one.`);
    return [first, ...rest];
  }

  #parseTarget(name: string): ModelTarget | undefined {
    const slash = name.indexOf('/');
    if (slash === -1) return undefined;
    const upstream = this.#upstreams.get(name.slice(0, slash));
    const model = name.slice(slash + 1);
    return upstream && model !== '' ? { upstream, model } : undefined;
  }

  async #listAll(): Promise<Map<string, readonly ModelInfo[]>> {
    const lists = await Promise.all(
      this.upstreams.map(async (upstream) => [upstream.name, await this.#listOne(upstream)] as const),
    );
    return new Map(lists.flatMap(([name, models]) => (models ? [[name, models] as const] : [])));
  }

  #listOne(upstream: Upstream): Promise<readonly ModelInfo[] | undefined> {
    const now = this.#options.nowMs();
    const cached = this.#lists.get(upstream.name);
    if (cached && cached.expiresAtMs > now) return cached.models;
    const models = upstream
      .listModels(AbortSignal.timeout(this.#options.listTimeoutMs ?? 5_000))
      .catch(() => {
        this.#lists.set(upstream.name, {
          expiresAtMs: now + FAILED_LIST_CACHE_MS,
          models: Promise.resolve(undefined),
        });
        return undefined;
      });
    this.#lists.set(upstream.name, { expiresAtMs: now + LIST_CACHE_MS, models });
    return models;
  }
}

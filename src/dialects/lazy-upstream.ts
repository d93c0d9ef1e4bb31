import type {
  EventBatch,
  ModelInfo,
  Upstream,
  UpstreamCall,
  UpstreamKind,
  UpstreamOptions,
} from './dialect.ts';

export interface LazyKind extends Pick<UpstreamKind, 'kind' | 'holdsTurns'> {
  readonly load: () => Promise<UpstreamKind>;
}

/** A kind whose code is loaded when an upstream of it is first used; for kinds that bring a lot of it. */
export function defineLazyKind({ load, ...kind }: LazyKind): UpstreamKind {
  return { ...kind, create: (options) => new LazyUpstream(options, kind.kind, load) };
}

class LazyUpstream implements Upstream {
  readonly name: string;
  readonly kind: string;
  readonly supportsChoices = false;
  readonly #create: () => Promise<Upstream>;
  #made: Promise<Upstream> | undefined;

  constructor(options: UpstreamOptions, kind: string, load: () => Promise<UpstreamKind>) {
    this.name = options.name;
    this.kind = kind;
    this.#create = async () => (await load()).create(options);
  }

  async *openTurn(call: UpstreamCall): AsyncGenerator<EventBatch> {
    yield* (await this.#upstream()).openTurn(call);
  }

  async listModels(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    return (await this.#upstream()).listModels(signal);
  }

  async close(): Promise<void> {
    await (await this.#made)?.close();
  }

  #upstream(): Promise<Upstream> {
    this.#made ??= this.#create();
    return this.#made;
  }
}

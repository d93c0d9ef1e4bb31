/** Something that lives as long as the runtime: background jobs, an index, open connections. */
export interface Resource<T> {
  readonly name: string;
  create(): T;
  dispose?(value: T): void | Promise<void>;
}

export function defineResource<T>(resource: Resource<T>): Resource<T> {
  return resource;
}

/** Made on first use, one of each, and put away in reverse order when the runtime closes. */
export class Resources {
  readonly #made = new Map<Resource<unknown>, unknown>();

  get<T>(resource: Resource<T>): T {
    // The map holds for each resource what its own `create` gave.
    const key = resource as Resource<unknown>;
    if (!this.#made.has(key)) this.#made.set(key, resource.create());
    return this.#made.get(key) as T;
  }

  /** For tests and for embedders that bring their own. */
  set<T>(resource: Resource<T>, value: T): void {
    this.#made.set(resource as Resource<unknown>, value);
  }

  async dispose(): Promise<void> {
    const made = [...this.#made].reverse();
    this.#made.clear();
    for (const [resource, value] of made) await resource.dispose?.(value);
  }
}

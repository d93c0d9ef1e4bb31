import { defineResource } from '../../resources.ts';

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  /** The passage the service found worth showing. */
  readonly snippet: string;
}

/** A service that searches the web. */
export interface SearchProvider {
  readonly name: string;
  /** Where requests go, for the policy. */
  readonly url: string;
  search(query: string, maxResults: number, signal: AbortSignal): Promise<readonly SearchHit[]>;
}

export interface SearchProviderOptions {
  /** The service's own address where none is given; SearXNG has none. */
  readonly baseUrl?: string;
  readonly apiKey?: string;
}

/** Set from the configuration; without it `web_search` says how to choose one. */
export const searchProvider = defineResource<SearchProvider | undefined>({
  name: 'search-provider',
  create: () => undefined,
});

/** Joins a path to a base address that may itself have a path. */
export function serviceUrl(
  baseUrl: string,
  path: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const url = new URL(baseUrl.replace(/\/*$/, '') + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}

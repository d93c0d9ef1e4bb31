// SearXNG's GET /search?format=json; an instance must list json among its search.formats, else it answers 403.
import { z } from 'zod';
import { requestJson } from './request-json.ts';
import { type SearchProvider, type SearchProviderOptions, serviceUrl } from './search-provider.ts';

const answerSchema = z.object({
  results: z
    .array(
      z.object({
        title: z.string().default(''),
        url: z.string(),
        content: z.string().nullish(),
      }),
    )
    .default([]),
});

export function createSearxngSearch(
  options: SearchProviderOptions & { readonly baseUrl: string },
): SearchProvider {
  return {
    name: 'SearXNG',
    url: options.baseUrl,
    async search(query, maxResults, signal) {
      const answer = await requestJson({
        url: serviceUrl(options.baseUrl, '/search', { q: query, format: 'json' }),
        service: 'SearXNG',
        // Instances behind a proxy may want a key; SearXNG itself has none.
        headers: options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` },
        signal,
      });
      return answerSchema
        .parse(answer)
        .results.slice(0, maxResults)
        .map((result) => ({ title: result.title, url: result.url, snippet: result.content ?? '' }));
    },
  };
}

// Brave Search API, GET /res/v1/web/search, as its public documentation describes it.
import { z } from 'zod';
import { requestJson } from './request-json.ts';
import { type SearchProvider, type SearchProviderOptions, serviceUrl } from './search-provider.ts';

const answerSchema = z.object({
  web: z
    .object({
      results: z.array(
        z.object({
          title: z.string().default(''),
          url: z.string(),
          description: z.string().default(''),
          extra_snippets: z.array(z.string()).default([]),
        }),
      ),
    })
    .optional(),
});

const MAX_COUNT = 20;

export function createBraveSearch(
  options: SearchProviderOptions & { readonly apiKey: string },
): SearchProvider {
  const url = options.baseUrl ?? 'https://api.search.brave.com';
  return {
    name: 'Brave Search',
    url,
    async search(query, maxResults, signal) {
      const answer = await requestJson({
        url: serviceUrl(url, '/res/v1/web/search', {
          q: query,
          count: String(Math.min(maxResults, MAX_COUNT)),
        }),
        service: 'Brave Search',
        headers: { 'x-subscription-token': options.apiKey },
        signal,
      });
      return (answerSchema.parse(answer).web?.results ?? []).map((result) => ({
        title: result.title,
        url: result.url,
        snippet: [result.description, ...result.extra_snippets].filter(Boolean).join('\n'),
      }));
    },
  };
}

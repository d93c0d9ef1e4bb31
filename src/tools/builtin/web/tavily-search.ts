// Tavily's POST /search, as its public documentation describes it.
import { z } from 'zod';
import { requestJson } from './request-json.ts';
import { type SearchProvider, type SearchProviderOptions, serviceUrl } from './search-provider.ts';

const answerSchema = z.object({
  results: z
    .array(z.object({ title: z.string().default(''), url: z.string(), content: z.string().default('') }))
    .default([]),
});

export function createTavilySearch(
  options: SearchProviderOptions & { readonly apiKey: string },
): SearchProvider {
  const url = options.baseUrl ?? 'https://api.tavily.com';
  return {
    name: 'Tavily',
    url,
    async search(query, maxResults, signal) {
      const answer = await requestJson({
        url: serviceUrl(url, '/search'),
        service: 'Tavily',
        method: 'POST',
        headers: { authorization: `Bearer ${options.apiKey}` },
        body: { query, max_results: maxResults, search_depth: 'basic' },
        signal,
      });
      return answerSchema
        .parse(answer)
        .results.map((result) => ({ title: result.title, url: result.url, snippet: result.content }));
    },
  };
}

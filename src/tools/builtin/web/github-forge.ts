// GitHub's REST API, version 2022-11-28, also as GitHub Enterprise Server and Gitea speak it under their own address.
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import type { ForgeChange, ForgeComment, ForgeQuery } from './forge.ts';
import { requestJson, requestText } from './request-json.ts';
import { serviceUrl } from './search-provider.ts';
import { WebFault } from './web-fault.ts';

const userSchema = z.object({ login: z.string() }).nullish();
const issueSchema = z.object({
  number: z.number(),
  title: z.string(),
  body: z.string().nullish(),
  user: userSchema,
  created_at: z.string(),
  state: z.string(),
  merged_at: z.string().nullish(),
  html_url: z.string(),
  head: z.object({ sha: z.string() }).optional(),
  labels: z.array(z.object({ name: z.string() })).default([]),
  assignees: z.array(z.object({ login: z.string() })).nullish(),
});
const commentsSchema = z.array(
  z.object({ id: z.number(), body: z.string().nullish(), user: userSchema, created_at: z.string() }),
);
const commitSchema = z.object({
  sha: z.string(),
  html_url: z.string(),
  commit: z.object({ message: z.string(), author: z.object({ name: z.string(), date: z.string() }) }),
});

export async function fetchFromGithub(query: ForgeQuery, signal: AbortSignal): Promise<ForgeChange> {
  const get = getter(query, signal);
  if (query.id.type === 'sha') return fetchCommit(get, query.id.sha);
  const { number } = query.id;
  const pull = await get.json(`/pulls/${number}`, issueSchema).catch((error: unknown) => {
    if (error instanceof WebFault && error.code === 'ENOENT') return undefined; // issues share the numbers
    throw error;
  });
  const found = pull ?? (await get.json(`/issues/${number}`, issueSchema));
  const comments = await get.json(`/issues/${number}/comments?per_page=50`, commentsSchema);
  return omitUndefined({
    kind: pull ? ('pull request' as const) : ('issue' as const),
    number: found.number,
    sha: found.head?.sha,
    title: found.title,
    body: found.body ?? '',
    author: found.user?.login ?? '',
    date: found.created_at,
    state: found.merged_at ? 'merged' : found.state,
    url: found.html_url,
    diff: pull ? await get.diff(`/pulls/${number}`) : '',
    labels: found.labels.map((label) => label.name),
    assignees: (found.assignees ?? []).map((user) => user.login),
    comments: comments.map(
      (comment): ForgeComment => ({
        id: comment.id,
        author: comment.user?.login ?? '',
        body: comment.body ?? '',
        createdAt: comment.created_at,
      }),
    ),
  });
}

async function fetchCommit(get: Getter, sha: string): Promise<ForgeChange> {
  const found = await get.json(`/commits/${sha}`, commitSchema);
  const [title = '', ...body] = found.commit.message.split('\n');
  return {
    kind: 'commit',
    sha: found.sha,
    title,
    body: body.join('\n').trim(),
    author: found.commit.author.name,
    date: found.commit.author.date,
    url: found.html_url,
    diff: await get.diff(`/commits/${sha}`),
    labels: [],
    assignees: [],
    comments: [],
  };
}

type Getter = ReturnType<typeof getter>;

function getter({ forge, repo }: ForgeQuery, signal: AbortSignal) {
  const call = (path: string, accept: string) => ({
    url: serviceUrl(forge.apiUrl, `/repos/${repo}${path}`),
    service: forge.host,
    headers: {
      accept,
      'x-github-api-version': '2022-11-28',
      ...(forge.token === undefined ? {} : { authorization: `Bearer ${forge.token}` }),
    },
    signal,
  });
  return {
    json: async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
      schema.parse(await requestJson(call(path, 'application/vnd.github+json'))),
    diff: (path: string) => requestText(call(path, 'application/vnd.github.diff')),
  };
}

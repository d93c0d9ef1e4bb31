// GitLab's REST API v4: merge requests, issues, commits and their diffs (the `diffs` route exists since 15.7).
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import type { ForgeChange, ForgeComment, ForgeQuery } from './forge.ts';
import { requestJson } from './request-json.ts';
import { serviceUrl } from './search-provider.ts';
import { WebFault } from './web-fault.ts';

const userSchema = z.object({ username: z.string() });
const requestSchema = z.object({
  iid: z.number(),
  title: z.string(),
  description: z.string().nullish(),
  author: userSchema.nullish(),
  created_at: z.string(),
  state: z.string(),
  web_url: z.string(),
  sha: z.string().nullish(),
  labels: z.array(z.string()).default([]),
  assignees: z.array(userSchema).nullish(),
});
const notesSchema = z.array(
  z.object({
    id: z.number(),
    body: z.string(),
    author: userSchema,
    created_at: z.string(),
    system: z.boolean().default(false),
  }),
);
const diffsSchema = z.array(
  z.object({
    old_path: z.string(),
    new_path: z.string(),
    diff: z.string(),
    new_file: z.boolean().default(false),
    deleted_file: z.boolean().default(false),
  }),
);
const commitSchema = z.object({
  id: z.string(),
  title: z.string(),
  message: z.string(),
  author_name: z.string(),
  created_at: z.string(),
  web_url: z.string().optional(),
});

export async function fetchFromGitlab(query: ForgeQuery, signal: AbortSignal): Promise<ForgeChange> {
  const get = getter(query, signal);
  if (query.id.type === 'sha') return fetchCommit(get, query.id.sha);
  const { number } = query.id;
  const merge = await get(`/merge_requests/${number}`, requestSchema).catch((error: unknown) => {
    if (error instanceof WebFault && error.code === 'ENOENT') return undefined; // perhaps an issue is meant
    throw error;
  });
  const path = merge ? `/merge_requests/${number}` : `/issues/${number}`;
  const found = merge ?? (await get(path, requestSchema));
  const notes = await get(`${path}/notes?per_page=50&sort=asc`, notesSchema);
  return omitUndefined({
    kind: merge ? ('pull request' as const) : ('issue' as const),
    number: found.iid,
    sha: found.sha ?? undefined,
    title: found.title,
    body: found.description ?? '',
    author: found.author?.username ?? '',
    date: found.created_at,
    state: found.state,
    url: found.web_url,
    diff: merge ? joinDiffs(await get(`${path}/diffs?per_page=100`, diffsSchema)) : '',
    labels: found.labels,
    assignees: (found.assignees ?? []).map((user) => user.username),
    comments: notes
      .filter((note) => !note.system)
      .map(
        (note): ForgeComment => ({
          id: note.id,
          author: note.author.username,
          body: note.body,
          createdAt: note.created_at,
        }),
      ),
  });
}

async function fetchCommit(get: Getter, sha: string): Promise<ForgeChange> {
  const found = await get(`/repository/commits/${sha}`, commitSchema);
  return omitUndefined({
    kind: 'commit' as const,
    sha: found.id,
    title: found.title,
    body: found.message.slice(found.message.split('\n', 1)[0]?.length ?? 0).trim(),
    author: found.author_name,
    date: found.created_at,
    url: found.web_url,
    diff: joinDiffs(await get(`/repository/commits/${sha}/diff?per_page=100`, diffsSchema)),
    labels: [],
    assignees: [],
    comments: [],
  });
}

type Getter = ReturnType<typeof getter>;

function getter({ forge, repo }: ForgeQuery, signal: AbortSignal) {
  return async <T>(path: string, schema: z.ZodType<T>): Promise<T> =>
    schema.parse(
      await requestJson({
        url: serviceUrl(forge.apiUrl, `/projects/${encodeURIComponent(repo)}${path}`),
        service: forge.host,
        headers: forge.token === undefined ? {} : { 'private-token': forge.token },
        signal,
      }),
    );
}

/** GitLab gives the hunks of each file; git's own head lines are put before them. */
function joinDiffs(diffs: z.infer<typeof diffsSchema>): string {
  return diffs
    .map(({ old_path, new_path, diff, new_file, deleted_file }) => {
      const before = new_file ? '/dev/null' : `a/${old_path}`;
      const after = deleted_file ? '/dev/null' : `b/${new_path}`;
      return `diff --git a/${old_path} b/${new_path}\n--- ${before}\n+++ ${after}\n${diff.trimEnd()}\n`;
    })
    .join('');
}

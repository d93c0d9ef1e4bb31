import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { fetchPullRequest } from './fetch-pull-request.ts';
import { type LoopbackServer, startLoopbackServer } from './fixtures/loopback-server.ts';
import { forges, parseRepository } from './forge.ts';

let place: TempWorkspace;
let server: LoopbackServer;
let answers: Record<string, unknown>;

beforeEach(async () => {
  place = tempWorkspace({
    '.git/config': '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@code.example:team/app.git\n',
  });
  answers = {};
  server = await startLoopbackServer(createServer(), (request, response) => {
    const wantsDiff = request.headers.accept?.includes('diff');
    const answer = answers[`${wantsDiff ? 'diff ' : ''}${(request.url ?? '').split('?')[0]}`];
    if (answer === undefined) response.writeHead(404).end('{}');
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
});
afterEach(async () => {
  await server.close();
  await place.dispose();
});

const setForge = (kind: 'github' | 'gitlab') =>
  place.context.resources.set(forges, [
    { kind, host: 'code.example', apiUrl: `${server.url}/api`, token: 'secret-token-1' },
  ]);

describe('GitHub', () => {
  const PULL = {
    number: 7,
    title: 'Add a cache',
    body: 'Faster.',
    user: { login: 'ann' },
    created_at: '2026-01-02T03:04:05Z',
    state: 'closed',
    merged_at: '2026-01-03T00:00:00Z',
    html_url: 'https://code.example/team/app/pull/7',
    head: { sha: 'abc' },
    labels: [{ name: 'perf' }],
    assignees: [{ login: 'bob' }],
  };

  beforeEach(() => {
    setForge('github');
    answers['/api/repos/team/app/pulls/7'] = PULL;
    answers['diff /api/repos/team/app/pulls/7'] = 'diff --git a/x b/x\n+new\n';
    answers['/api/repos/team/app/issues/7/comments'] = [
      { id: 1, body: 'Nice', user: { login: 'cy' }, created_at: '2026-01-02T04:00:00Z' },
    ];
  });

  test('a pull request of the workspace is read with comments and diff', async () => {
    const outcome = await place.ask(fetchPullRequest, { pull_number_or_commit_hash: '7' });
    expect(outcome.content).toContain('# Add a cache (pull request #7)');
    expect(outcome.content).toContain('**cy** (2026-01-02T04:00:00Z):\nNice');
    expect(outcome.content.endsWith('## Diff\n\ndiff --git a/x b/x\n+new')).toBe(true);
    expect(outcome.data).toMatchObject({
      pr_number: 7,
      state: 'merged',
      labels: ['perf'],
      is_issue: false,
      sha: 'abc',
    });
    expect(server.requests[0]?.headers.authorization).toBe('Bearer secret-token-1');
  });

  test.each([
    [{ pull_number: 7 }],
    [{ pull_number_or_commit_hash: '#7', repo: 'team/app' }],
    [{ url: 'https://code.example/team/app/pull/7/files' }],
  ])('%j means the same', async (args) => {
    expect((await place.ask(fetchPullRequest, args)).data).toMatchObject({ pr_number: 7 });
  });

  test('an issue is found under its number too', async () => {
    answers['/api/repos/team/app/issues/8'] = { ...PULL, number: 8, head: undefined, merged_at: null };
    answers['/api/repos/team/app/issues/8/comments'] = [];
    expect((await place.ask(fetchPullRequest, { number: 8 })).data).toMatchObject({
      is_issue: true,
      state: 'closed',
    });
  });

  test('a commit of a named repository is read there', async () => {
    answers['/api/repos/team/app/commits/abcdef1'] = {
      sha: 'abcdef1234',
      html_url: 'https://x',
      commit: { message: 'Title\n\nBody', author: { name: 'Ann', date: '2026' } },
    };
    answers['diff /api/repos/team/app/commits/abcdef1'] = 'diff';
    const outcome = await place.ask(fetchPullRequest, { commit: 'abcdef1', repo: 'team/app' });
    expect(outcome.data).toMatchObject({ title: 'Title', body: 'Body', sha: 'abcdef1234' });
  });

  test('what does not exist and what is not GitHub are told apart, without the token', async () => {
    const missing = await place.call(fetchPullRequest, { number: 99 });
    expect(missing).toMatchObject({ ok: false, error: { code: 'ENOENT' } });
    expect(missing).toMatchObject({ error: { message: expect.stringMatching(/issue #99 in team\/app/) } });
    const commit = await place.call(fetchPullRequest, { commit: 'abcdef9', repo: 'team/lib' });
    expect(commit).toMatchObject({
      error: { message: expect.stringMatching(/commit abcdef9 in team\/lib/) },
    });
    answers['/api/repos/team/app/pulls/7'] = { hello: 'world' };
    const odd = await place.call(fetchPullRequest, { number: 7 });
    expect(odd).toMatchObject({ ok: false, error: { code: 'FAILED' } });
    expect(JSON.stringify([missing, odd])).not.toContain('secret-token-1');
  });
});

test('GitLab: a merge request is read with notes and diffs', async () => {
  setForge('gitlab');
  const base = '/api/projects/team%2Fapp/merge_requests/7';
  answers[base] = {
    iid: 7,
    title: 'Add a cache',
    description: null,
    author: { username: 'ann' },
    created_at: '2026',
    state: 'opened',
    web_url: 'https://code.example/x',
  };
  answers[`${base}/notes`] = [
    { id: 1, body: 'Nice', author: { username: 'cy' }, created_at: '2026' },
    { id: 2, body: 'added a label', author: { username: 'cy' }, created_at: '2026', system: true },
  ];
  answers[`${base}/diffs`] = [
    { old_path: 'x', new_path: 'x', diff: '@@ -0,0 +1 @@\n+new\n', new_file: true },
  ];
  const outcome = await place.ask(fetchPullRequest, { number: 7 });
  expect(outcome.data).toMatchObject({
    diff: 'diff --git a/x b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+new\n',
    comments: [{ id: 1, author: 'cy' }],
  });
  expect(server.requests[0]?.headers['private-token']).toBe('secret-token-1');
});

describe('where to look', () => {
  const touches = (args: object) =>
    fetchPullRequest.touches(fetchPullRequest.args.parse(args), place.context) as Promise<unknown>;

  test('is named before the call runs', async () => {
    setForge('github');
    expect(await touches({ number: 7 })).toEqual([{ type: 'host', url: `${server.url}/api` }]);
    expect(await touches({ commit: "a'b" })).toEqual([
      { type: 'command', command: String.raw`git show 'a'\''b'`, cwd: place.root },
    ]);
    expect(await touches({ commit: 'main..feature' })).toMatchObject([
      { command: "git log 'main..feature'" },
      { command: "git diff 'main..feature'" },
    ]);
    expect(await touches({ number: 7, repo: 'https://unknown.example/a/b' })).toMatchObject([
      { type: 'user' },
    ]);
  });

  test('a host nobody configured is refused with how to add it', async () => {
    const outcome = await place.call(fetchPullRequest, { number: 7, repo: 'https://unknown.example/a/b' });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain('tools.forges');
  });

  test.each(['nothing', '../../etc', 'a/../b', 'a b/c'])('%j is not a repository', async (repo) => {
    expect(await place.call(fetchPullRequest, { number: 7, repo })).toMatchObject({
      ok: false,
      error: { code: 'EINVAL' },
    });
  });

  test.each([
    ['git@github.com:a/b.git', { host: 'github.com', repo: 'a/b' }],
    ['ssh://git@Gitlab.com:22/a/b/c.git', { host: 'gitlab.com', repo: 'a/b/c' }],
    ['https://user:pw@github.com/a/b/', { host: 'github.com', repo: 'a/b' }],
    ['https://gitlab.com/a/b/-/merge_requests/3', { host: 'gitlab.com', repo: 'a/b' }],
    ['a/b', { repo: 'a/b' }],
  ])('%s is understood', (given, expected) => {
    expect(parseRepository(given)).toEqual(expected);
  });
});

describe('the local repository', () => {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: place.root,
      encoding: 'utf8',
      env: {
        PATH: process.env.PATH,
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_AUTHOR_NAME: 'Ann',
        GIT_AUTHOR_EMAIL: 'ann@example.org',
        GIT_COMMITTER_NAME: 'Ann',
        GIT_COMMITTER_EMAIL: 'ann@example.org',
      },
    });

  beforeEach(() => {
    git('init', '--quiet', '--initial-branch=main');
    place.write('a.txt', 'one\n');
    git('add', 'a.txt');
    git('commit', '--quiet', '-m', 'First');
    place.write('a.txt', 'two\n');
    git('commit', '--quiet', '-am', 'Second\n\nWith a body.');
  });

  test('a commit is read with its message and diff, without the network', async () => {
    const outcome = await place.ask(fetchPullRequest, { commit: 'HEAD' });
    expect(outcome.data).toMatchObject({ title: 'Second', body: 'With a body.', author: 'Ann' });
    expect(outcome.content).toContain('-one\n+two');
    expect(server.requests).toEqual([]);
  });

  test('a range is read as one change', async () => {
    const outcome = await place.ask(fetchPullRequest, { commit: 'HEAD~1..main' });
    expect(outcome.data).toMatchObject({ title: 'Changes HEAD~1..main' });
    expect(outcome.content).toContain('-one\n+two');
  });

  test.each(['--output=/tmp/x', '-p', 'HEAD; rm -rf /', 'HEAD:a.txt', '$(id)'])(
    '%s is not a revision',
    async (revision) => {
      expect(await place.call(fetchPullRequest, { commit: revision })).toMatchObject({
        ok: false,
        error: { code: 'EINVAL' },
      });
    },
  );

  test('an unknown commit says what to do', async () => {
    const outcome = await place.call(fetchPullRequest, { commit: 'deadbeef' });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'ENOENT' } });
  });

  test('programs that the repository names are not run', async () => {
    const trap = path.join(place.root, 'trap.sh');
    const mark = path.join(place.root, 'sprung');
    writeFileSync(trap, `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(trap, 0o755);
    for (const key of ['diff.external', 'core.fsmonitor', 'core.pager', 'gpg.program', 'diff.t.textconv'])
      git('config', key, trap);
    git('config', 'log.showSignature', 'true');
    place.write('.gitattributes', '*.txt diff=t\n');
    await place.ask(fetchPullRequest, { commit: 'HEAD' });
    await place.ask(fetchPullRequest, { commit: 'HEAD~1..HEAD' });
    expect(existsSync(mark)).toBe(false);
  });
});

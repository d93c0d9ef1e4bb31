// Reading commits with the git of this machine. A repository's own settings can name programs (pagers, diff drivers,
// signature checkers, transports); each of those doors is closed here, so that looking at a change never runs it.
import { execFile } from 'node:child_process';
import type { ToolContext } from '../../tool-context.ts';
import type { ForgeChange } from './forge.ts';
import { WebFault } from './web-fault.ts';

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 20 * 1024 * 1024;
const CLOSED_DOORS = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'log.showSignature=false',
  'protocol.allow=never',
].flatMap((setting) => ['-c', setting]);
const DIFF = ['--no-ext-diff', '--no-textconv', '--no-color'];
/** Names of commits, branches and tags, with `~` and `^`; nothing that could be an option or a path. */
const REVISION = /^(?!-)[\w./@^~+-]{1,200}$/;

/** A commit, or a range `a..b` or `a...b` with the changes between the two. */
export async function readLocalChange(revision: string, context: ToolContext): Promise<ForgeChange> {
  const range = /^(.+?)(\.{2,3})(.+)$/.exec(revision);
  if (!range) return readCommit(await findCommit(revision, context), context);
  const [from, to] = [await findCommit(range[1] ?? '', context), await findCommit(range[3] ?? '', context)];
  const log = await git(['log', '--oneline', '--max-count=100', `${from}..${to}`], context);
  const diff = await git(['diff', ...DIFF, `${from}${range[2]}${to}`], context);
  return {
    kind: 'commit',
    sha: to,
    title: `Changes ${revision}`,
    body: log.trim(),
    author: '',
    date: '',
    diff,
    labels: [],
    assignees: [],
    comments: [],
  };
}

async function readCommit(sha: string, context: ToolContext): Promise<ForgeChange> {
  const head = await git(['show', '--no-patch', '--format=%an%x00%aI%x00%s%x00%b', sha], context);
  const [author = '', date = '', title = '', body = ''] = head.split('\0');
  // Against the first parent, so that a merge shows what it brought.
  const diff = await git(['show', '--format=', '--first-parent', ...DIFF, sha], context);
  return {
    kind: 'commit',
    sha,
    title,
    body: body.trim(),
    author,
    date,
    diff,
    labels: [],
    assignees: [],
    comments: [],
  };
}

async function findCommit(revision: string, context: ToolContext): Promise<string> {
  if (!REVISION.test(revision))
    throw new WebFault('EINVAL', `"${revision}" is not the name of a commit, branch or tag.`);
  const found = await git(
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`],
    context,
  )
    .then((text) => text.trim())
    .catch((error: unknown) => {
      if (error instanceof WebFault && error.code === 'FAILED') return '';
      throw error;
    });
  if (/^[\da-f]{40,64}$/.test(found)) return found;
  throw new WebFault(
    'ENOENT',
    `This repository has no commit "${revision}". Fetch it with git first, or give "repo" to ask the code host.`,
  );
}

function git(args: readonly string[], context: ToolContext): Promise<string> {
  const env = {
    ...context.env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C',
  };
  return new Promise((resolve, reject) => {
    execFile(
      'git',
      ['--no-pager', ...CLOSED_DOORS, ...args],
      { cwd: context.workspace.root, env, signal: context.signal, timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES },
      (error, stdout, stderr) => (error ? reject(gitFault(error, stderr, context)) : resolve(stdout)),
    );
  });
}

function gitFault(
  error: Error & { code?: unknown; killed?: boolean },
  stderr: string,
  context: ToolContext,
): unknown {
  if (context.signal.aborted) return context.signal.reason;
  if (error.code === 'ENOENT')
    return new WebFault('UNAVAILABLE', 'git is not installed, or not on the PATH.');
  if (error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER')
    return new WebFault(
      'EFBIG',
      `The change is larger than ${MAX_BYTES} bytes; look at single files with git diff.`,
    );
  if (error.killed) return new WebFault('ETIMEDOUT', `git did not finish within ${TIMEOUT_MS} ms.`);
  const line = stderr.trim().split('\n')[0] ?? '';
  return new WebFault('FAILED', `git could not read it: ${line || `exit code ${String(error.code)}`}.`);
}

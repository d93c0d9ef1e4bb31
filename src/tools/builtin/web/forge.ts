import { defineResource } from '../../resources.ts';
import { WebFault } from './web-fault.ts';

/** A code host with the API of GitHub or GitLab: the public one, or a company's own. */
export interface Forge {
  readonly kind: 'github' | 'gitlab';
  /** As in the addresses of its repositories. */
  readonly host: string;
  readonly apiUrl: string;
  readonly token?: string;
}

/** Public repositories can be read without a token; the configuration adds tokens and other hosts. */
export const forges = defineResource<readonly Forge[]>({
  name: 'forges',
  create: () => [
    { kind: 'github', host: 'github.com', apiUrl: 'https://api.github.com' },
    { kind: 'gitlab', host: 'gitlab.com', apiUrl: 'https://gitlab.com/api/v4' },
  ],
});

/** One change: a pull or merge request, an issue, or a commit. */
export interface ForgeChange {
  readonly kind: 'pull request' | 'issue' | 'commit';
  readonly number?: number;
  readonly sha?: string;
  readonly title: string;
  readonly body: string;
  readonly author: string;
  readonly date: string;
  readonly state?: string;
  readonly url?: string;
  readonly diff: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  readonly comments: readonly ForgeComment[];
}

export interface ForgeComment {
  readonly id: number;
  readonly author: string;
  readonly body: string;
  readonly createdAt: string;
}

export interface ForgeQuery {
  readonly forge: Forge;
  /** `owner/name`, on GitLab with as many groups as it has. */
  readonly repo: string;
  readonly id:
    | { readonly type: 'number'; readonly number: number }
    | { readonly type: 'sha'; readonly sha: string };
}

export interface RepositoryName {
  readonly host?: string;
  readonly repo: string;
}

const REPOSITORY = /^[\w.-]+(?:\/[\w.-]+)+$/;

/** `owner/name`, an address in the web, or a remote of git: `git@host:owner/name.git`, `ssh://…`, `https://…`. */
export function parseRepository(given: string): RepositoryName | undefined {
  const text = given.trim();
  const short = /^(?:[\w.-]+@)([\w.-]+):(?!\/\/)(.+)$/.exec(text);
  const url = !short && /^[a-z+]+:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined;
  const host = short?.[1] ?? url?.hostname;
  const path = short?.[2] ?? (url ? url.pathname : text);
  const repo = path
    .replace(/\/-\/.*$|\/(?:pull|pulls|commit|issues|tree)\/.*$/, '')
    .replace(/^\/+|\/+$|\.git\/*$/g, '');
  if (!REPOSITORY.test(repo) || repo.split('/').some((part) => /^\.+$/.test(part))) return undefined;
  return host === undefined ? { repo } : { host: host.toLowerCase(), repo };
}

export function findForge(known: readonly Forge[], host: string): Forge {
  const found = known.find((forge) => forge.host.toLowerCase() === host);
  if (found) return found;
  const hosts = known.map((forge) => forge.host).join(', ');
  throw new WebFault(
    'UNAVAILABLE',
    `The code host ${host} is not configured; known are ${hosts || 'none'}. Add it to tools.forges with kind (github or gitlab), host, apiUrl and token.`,
  );
}

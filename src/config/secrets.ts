import type { Config, UpstreamConfig } from './schema.ts';

/** Shorter strings would blot out ordinary words in the log (`${REGION}` is "eu"), and no real secret is that short. */
const MIN_SECRET_LENGTH = 6;

/** Header values that say who somebody is; the others (`x-title: My App`) may be seen. */
const SECRET_HEADER = /authorization|cookie|key|token|secret|password/i;

/** Every string of a configuration that must not be shown, longest first so that no secret hides inside another. */
export function collectSecrets(config: Config, fromEnvironment: readonly string[] = []): string[] {
  const found = new Set<string>();
  const add = (secret: string | undefined) => {
    if (secret !== undefined && secret.length >= MIN_SECRET_LENGTH) found.add(secret);
  };
  for (const secret of fromEnvironment) add(secret);
  for (const upstream of Object.values(config.upstreams))
    for (const secret of upstreamSecrets(upstream)) add(secret);
  add(urlPassword(config.store.url));
  for (const secret of sectionSecrets([config.tools, config.mcp])) add(secret);
  return [...found].sort((left, right) => right.length - left.length);
}

function upstreamSecrets({
  apiKey,
  accessToken,
  headers,
  baseUrl,
  proxy,
}: UpstreamConfig): (string | undefined)[] {
  const fromHeaders = Object.entries(headers)
    .filter(([name]) => SECRET_HEADER.test(name))
    // `Bearer abc` is logged as a whole by some and as the bare token by others.
    .flatMap(([, value]) => [value, value.replace(/^\w+\s+/, '')]);
  return [apiKey, accessToken, ...fromHeaders, urlPassword(baseUrl), urlPassword(proxy)];
}

/** In sections that only others understand, names tell: `apiKey`, `token`, `env.GITHUB_TOKEN`, `--api-key VALUE`. */
function sectionSecrets(node: unknown, isNamed = false): (string | undefined)[] {
  if (typeof node === 'string')
    return isNamed ? [node, node.replace(/^(?:\w+\s+|--?[\w-]+=)/, '')] : urlSecrets(node);
  if (Array.isArray(node))
    return node.flatMap((item, index) => sectionSecrets(item, isArgument(node, index)));
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, item]) => sectionSecrets(item, SECRET_HEADER.test(key)));
}

/** The word after `--api-key`; of `--api-key=VALUE` the whole word. */
function isArgument(list: readonly unknown[], index: number): boolean {
  const isFlag = (word: unknown) =>
    typeof word === 'string' && /^--?[\w-]+/.test(word) && SECRET_HEADER.test(word);
  const word = list[index];
  if (typeof word === 'string' && word.startsWith('-')) return isFlag(word) && word.includes('=');
  return isFlag(list[index - 1]);
}

function urlSecrets(text: string): (string | undefined)[] {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return [];
  const named = [...new URL(text).searchParams].filter(([name]) => SECRET_HEADER.test(name));
  return [urlPassword(text), ...named.map(([, value]) => value)];
}

function urlPassword(url: string | undefined): string | undefined {
  if (url === undefined || !URL.canParse(url)) return undefined;
  const { password } = new URL(url);
  if (password === '') return undefined;
  try {
    return decodeURIComponent(password);
  } catch {
    return password; // a lone percent sign: then it is the password as written
  }
}

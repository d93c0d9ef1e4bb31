import { GatewayError } from '../core/index.ts';
import { type ConfigPath, positionAt, type SourceDocument } from './source-document.ts';

/** Where a value came from when it did not come from the file. */
export type Origin = { readonly variable: string } | { readonly flag: string };

export interface ConfigProblem {
  readonly message: string;
  /** The dotted key the message is about; empty for the file as a whole. */
  readonly path: ConfigPath;
  /** Ready to be shown: `file:line:column`, `CROSSPOINT_…` or `--flag`. */
  readonly where?: string;
  /** The source line with a caret under the place. */
  readonly excerpt?: string;
}

/** `upstreams.local.models[2]`, quoted only where a name needs it. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (/^[\w-]+$/.test(step)) text += text === '' ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

export function problemInSource(
  source: SourceDocument,
  offset: number,
  message: string,
  path: ConfigPath = [],
): ConfigProblem {
  const { line, column, sourceLine } = positionAt(source.text, offset);
  const gutter = String(line);
  const caret = ' '.repeat(column - 1);
  const excerpt = `  ${gutter} | ${maskSecrets(sourceLine)}\n  ${' '.repeat(gutter.length)} | ${caret}^`;
  return { message, path, where: `${source.file}:${line}:${column}`, excerpt };
}

export function problemAtOrigin(origin: Origin, message: string, path: ConfigPath): ConfigProblem {
  return { message, path, where: 'flag' in origin ? origin.flag : origin.variable };
}

/** One error for all problems: a user who mends three slips should not have to start three times. */
export function configError(problems: readonly ConfigProblem[]): GatewayError {
  const list = problems.map(formatProblem).join('\n');
  const head =
    problems.length === 1
      ? 'The configuration has a problem:'
      : `The configuration has ${problems.length} problems:`;
  return new GatewayError('invalid-request', `${head}\n${list}`, { detail: { reason: 'invalid_config' } });
}

function formatProblem({ message, where, excerpt }: ConfigProblem): string {
  const line = where === undefined ? message : `${where}: ${message}`;
  return excerpt === undefined ? line : `${line}\n${excerpt}`;
}

const SECRET_KEY = /(?:api-?_?key|token|secret|password|authorization|cookie)/i;

/** Whether the value under this key must not be repeated in a message. */
export function isSecretPath(path: ConfigPath): boolean {
  return path.includes('headers') || path.some((step) => typeof step === 'string' && SECRET_KEY.test(step));
}

/** A reference without a default tells nothing; with one, the default may be the secret itself. */
const BARE_REFERENCE = /^["']?\$\{\w+\}["']?$/;
const SECRET_PAIR =
  /((?:api-?_?key|token|secret|password|authorization|cookie)["']?\s*:\s*)(\$\{[^}]*\}|"[^"]*"?|'[^']*'?|[^,}\]#]+)/gi;
const SECRET_SHAPE = /\b(?:sk|xp|key|ghp|gsk|xai)[-_][\w-]{8,}/gi;
const URL_PASSWORD = /(:\/\/[^\s/:@]*:)([^\s/@]+)(?=@)/g;

/** Secrets become asterisks of the same length, so that the caret still points at the right column. */
export function maskSecrets(line: string): string {
  return line
    .replaceAll(SECRET_PAIR, (pair, key: string, value: string) =>
      BARE_REFERENCE.test(value) ? pair : key + value.replaceAll(/[^\s"']/g, '*'),
    )
    .replaceAll(SECRET_SHAPE, (secret) => '*'.repeat(secret.length))
    .replaceAll(URL_PASSWORD, (_, before: string, password: string) => before + '*'.repeat(password.length));
}

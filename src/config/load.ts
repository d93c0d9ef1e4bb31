import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GatewayError, omitUndefined } from '../core/index.ts';
import { checkConfig, type Finding } from './check-config.ts';
import {
  type ConfigProblem,
  configError,
  formatPath,
  isSecretPath,
  problemAtOrigin,
  problemInSource,
} from './config-problem.ts';
import { describeIssue } from './describe-issue.ts';
import { type Override, readEnvOverrides } from './env-overrides.ts';
import { type Expansion, expandEnv } from './expand-env.ts';
import { findConfigFile, resolvePath, type Surroundings } from './find-config-file.ts';
import { type Config, configSchema } from './schema.ts';
import { collectSecrets } from './secrets.ts';
import { type ConfigPath, parseSource, type SourceDocument } from './source-document.ts';
import { isRecord, valueAt, withValue } from './tree.ts';

export interface LoadOptions extends Surroundings {
  /** The upstream kinds this version has. */
  readonly kinds: readonly string[];
  /** The file named by `--config`. */
  readonly configFile?: string | undefined;
  /** What flags say; they win over the environment, which wins over the file. */
  readonly flags?: readonly Override[];
}

export interface LoadedConfig {
  readonly config: Config;
  /** The file that was read, if there was one. */
  readonly file?: string;
  /** Strings that must never be shown: for the log's redactor. */
  readonly secrets: readonly string[];
}

/** File, then environment, then flags. Throws one GatewayError that lists every problem with its place. */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const file = findConfigFile(options, options.configFile);
  const source = file === undefined ? undefined : parseSource(file, await readConfigFile(file));
  const syntax =
    source?.syntaxProblems.map(({ offset, message }) => problemInSource(source, offset, message)) ?? [];
  if (syntax.length > 0) throw configError(syntax);

  const expansion = expandEnv(withoutEmptySections(source?.value), options.env);
  const fromEnv = readEnvOverrides(options.env, expansion.value);
  const overrides = [...fromEnv.overrides, ...(options.flags ?? [])];
  const tree = overrides.reduce(
    (value, override) => withValue(value, override.path, override.value),
    expansion.value,
  );

  const locate = createLocator(source, overrides);
  const problems = [...fromEnv.problems, ...expansion.missing.flatMap(describeMissing(overrides, locate))];
  const config = validate(tree ?? {}, { options, expansion, locate, problems });
  return omitUndefined({
    config: resolvePaths(config, file === undefined ? options.cwd : path.dirname(file), options.home),
    file,
    secrets: collectSecrets(config, expansion.secrets),
  });
}

async function readConfigFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new GatewayError('invalid-request', `The configuration file ${file} cannot be read: ${why}.`, {
      cause: error,
    });
  }
}

/** `upstreams:` with nothing after it is what people leave behind when they comment its content out. */
function withoutEmptySections(value: unknown): unknown {
  if (value === null || value === undefined) return {};
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))
    : value;
}

type Locate = (finding: Finding) => ConfigProblem;

/** A problem stands where the value came from: the flag or variable that set it, else the file. */
function createLocator(source: SourceDocument | undefined, overrides: readonly Override[]): Locate {
  return ({ path: at, part, message }) => {
    const override = overrides.findLast(({ path: set }) => isWithin(at, set) || isWithin(set, at));
    const isInFile = source !== undefined && valueAt(source.value, at) !== undefined;
    if (override && (isWithin(at, override.path) || !isInFile))
      return problemAtOrigin(override.origin, message, at);
    return source ? problemInSource(source, source.offsetOf(at, part), message, at) : { message, path: at };
  };
}

function isWithin(at: ConfigPath, ancestor: ConfigPath): boolean {
  return ancestor.every((step, index) => at[index] === step);
}

function describeMissing(overrides: readonly Override[], locate: Locate) {
  return (missing: Expansion['missing'][number]): ConfigProblem[] => {
    // A flag may replace the very value that could not be expanded; then nothing is missing.
    if (overrides.some(({ path: set }) => isWithin(missing.path, set))) return [];
    const { variable } = missing;
    const message = `${formatPath(missing.path)} needs the environment variable ${variable}, which is not set. Set it, or write \${${variable}:-default}.`;
    return [locate({ path: missing.path, part: 'value', message })];
  };
}

interface Validation {
  readonly options: LoadOptions;
  readonly expansion: Expansion;
  readonly locate: Locate;
  readonly problems: readonly ConfigProblem[];
}

function validate(tree: unknown, { options, expansion, locate, problems }: Validation): Config {
  const parsed = configSchema.safeParse(tree);
  if (parsed.success) {
    const found = [...problems, ...checkConfig(parsed.data, options.kinds).map(locate)];
    if (found.length > 0) throw configError(inReadingOrder(found));
    return parsed.data;
  }
  const found = parsed.error.issues.flatMap((issue) => {
    const at = issue.path as ConfigPath; // JSON and YAML have no symbols
    const isSecret = isSecretPath(at) || expansion.expanded.some((expanded) => isWithin(at, expanded));
    return describeIssue(issue, valueAt(tree, at), isSecret).map(locate);
  });
  throw configError(inReadingOrder([...problems, ...found]));
}

/** By line within the file, what comes from elsewhere first; of two problems with one key only the first is said. */
function inReadingOrder(problems: readonly ConfigProblem[]): ConfigProblem[] {
  const seen = new Set<string>();
  const isNew = (problem: ConfigProblem) => {
    const key = formatPath(problem.path);
    const wasSeen = key !== '' && seen.has(key);
    seen.add(key);
    return !wasSeen;
  };
  const lineOf = (problem: ConfigProblem) => Number(/:(\d+):\d+$/.exec(problem.where ?? '')?.[1] ?? 0);
  return problems.filter(isNew).toSorted((left, right) => lineOf(left) - lineOf(right));
}

/** Paths in the file are relative to the file, so that it means the same wherever the program is started. */
function resolvePaths(config: Config, folder: string, home: string): Config {
  const { tls } = config.server;
  const resolve = (written: string) => resolvePath(written, folder, home);
  return {
    ...config,
    server: tls
      ? { ...config.server, tls: { cert: resolve(tls.cert), key: resolve(tls.key) } }
      : config.server,
    store:
      config.store.path === undefined ? config.store : { ...config.store, path: resolve(config.store.path) },
  };
}

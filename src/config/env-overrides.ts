import { nearestName } from '../core/index.ts';
import { keysAt, leavesBelow } from './config-keys.ts';
import { type ConfigProblem, type Origin, problemAtOrigin } from './config-problem.ts';
import type { Env } from './expand-env.ts';
import { isRecord } from './tree.ts';

/** A value that replaces what the file says, and who said so. */
export interface Override {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly origin: Origin;
}

const PREFIX = 'CROSSPOINT_';
const UPSTREAM_PREFIX = 'CROSSPOINT_UPSTREAMS_';

/** `server.keepAliveMs` is CROSSPOINT_SERVER_KEEP_ALIVE_MS. */
export function variableFor(path: readonly string[]): string {
  return PREFIX + path.map(screamingSnake).join('_');
}

function screamingSnake(key: string): string {
  return key
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toUpperCase();
}

export interface EnvOverrides {
  readonly overrides: readonly Override[];
  readonly problems: readonly ConfigProblem[];
}

/** Every CROSSPOINT_… variable that names a key of the configuration. An empty variable counts as not set. */
export function readEnvOverrides(env: Env, fileValue: unknown): EnvOverrides {
  const known = new Map(leavesBelow([]).map((path) => [variableFor(path), path]));
  const overrides: Override[] = [];
  const problems: ConfigProblem[] = [];
  for (const [variable, value] of Object.entries(env)) {
    if (!variable.startsWith(PREFIX) || value === undefined || value === '') continue;
    const path = known.get(variable) ?? upstreamPath(variable, fileValue);
    if (path) overrides.push({ path, value, origin: { variable } });
    else if (namesASection(variable)) problems.push(unknownVariable(variable, known.keys()));
  }
  return { overrides, problems };
}

/** Only variables that plainly mean a section are judged: CROSSPOINT_HOME and a user's own ones are not ours to refuse. */
function namesASection(variable: string): boolean {
  return keysAt([]).some((key) => variable.startsWith(`${variableFor([key])}_`));
}

function unknownVariable(variable: string, known: Iterable<string>): ConfigProblem {
  const nearest = nearestName(variable, known);
  const hint = nearest ? ` Did you mean ${nearest}?` : ' Unset it, or see the keys in the documentation.';
  return problemAtOrigin({ variable }, `this variable names no key of the configuration.${hint}`, []);
}

/** CROSSPOINT_UPSTREAMS_LOCAL_API_KEY: the name is an upstream of the file, or a new one in lower case. */
function upstreamPath(variable: string, fileValue: unknown): readonly string[] | undefined {
  if (!variable.startsWith(UPSTREAM_PREFIX)) return undefined;
  const rest = variable.slice(UPSTREAM_PREFIX.length);
  const fields = leavesBelow(['upstreams', '*']).map((path) => path.slice(2));
  // The longest field wins: _TIMEOUTS_IDLE_MS must not be read as a field of an upstream called "x_timeouts".
  const bySuffix = fields
    .map((field) => ({ field, suffix: `_${field.map(screamingSnake).join('_')}` }))
    .sort((left, right) => right.suffix.length - left.suffix.length)
    .find(({ suffix }) => rest.endsWith(suffix) && rest.length > suffix.length);
  if (!bySuffix) return undefined;
  const spelled = rest.slice(0, -bySuffix.suffix.length);
  const inFile = isRecord(fileValue) && isRecord(fileValue.upstreams) ? Object.keys(fileValue.upstreams) : [];
  const name = inFile.find((candidate) => screamingSnake(candidate) === spelled);
  return ['upstreams', name ?? spelled.toLowerCase().replaceAll('_', '-'), ...bySuffix.field];
}

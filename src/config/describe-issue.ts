import type { z } from 'zod';
import { nearestName } from '../core/index.ts';
import type { Finding } from './check-config.ts';
import { keysAt } from './config-keys.ts';
import { formatPath } from './config-problem.ts';
import { RESERVED_SECTIONS } from './schema.ts';
import type { ConfigPath } from './source-document.ts';

/** One zod issue in plain words; an issue about several unknown keys gives one finding for each. */
export function describeIssue(
  issue: z.core.$ZodIssue,
  value: unknown,
  isSecret: boolean,
  keysOf: (path: ConfigPath) => readonly string[] = keysAt,
): Finding[] {
  const path = issue.path.filter((step) => typeof step !== 'symbol') as ConfigPath; // JSON and YAML have no symbols
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => describeUnknownKey(path, key, keysOf(path)));
  const name = formatPath(path) || 'The configuration';
  if (value === undefined)
    return [{ path, part: 'value', message: `${name} is missing; it ${issue.message}.` }];
  const hint = issue.code === 'invalid_value' ? nearestHint(value, issue.values) : '';
  const found = isSecret ? '' : `, not ${describeValue(value)}`;
  return [{ path, part: 'value', message: `${name} ${issue.message}${found}.${hint}` }];
}

function describeUnknownKey(parent: ConfigPath, key: string, siblings: readonly string[]): Finding {
  const path = [...parent, key];
  const name = formatPath(path);
  if (parent.length === 0 && RESERVED_SECTIONS.some((section) => section === key)) {
    return {
      path,
      part: 'key',
      message: `this version does not know the section ${key} yet. Remove it for now.`,
    };
  }
  const nearest = nearestName(key, siblings);
  const hint = nearest ? `Did you mean ${nearest}?` : `Known here: ${siblings.join(', ')}.`;
  return { path, part: 'key', message: `${name} is not a known key. ${hint}` };
}

function nearestHint(value: unknown, choices: readonly unknown[]): string {
  const nearest = typeof value === 'string' ? nearestName(value, choices.map(String)) : undefined;
  return nearest ? ` Did you mean ${nearest}?` : '';
}

function describeValue(value: unknown): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

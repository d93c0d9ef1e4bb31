import type { z } from 'zod';
import { invalidRequest } from '../core/index.ts';
import { keysBelow, schemaNode } from './config-keys.ts';
import { isSecretPath } from './config-problem.ts';
import { describeIssue } from './describe-issue.ts';
import type { ConfigPath } from './source-document.ts';
import { isRecord, valueAt } from './tree.ts';

/**
 * A section that the configuration itself does not look into, read by whoever knows its shape. Problems are told as
 * for every other key: the key, the value unless it may be a secret, what is wanted, the nearest known key.
 */
export function readSection<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  section: unknown,
  source?: string,
): z.output<Schema> {
  const value = section ?? {};
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const node = schemaNode(schema);
  const problems = parsed.error.issues.flatMap((issue) => {
    const below = issue.path as ConfigPath; // JSON and YAML have no symbols
    const path = [name, ...below];
    const found = valueAt(value, below);
    const keysOf = (at: ConfigPath) => keysBelow(node, at.slice(1));
    return describeIssue(withKeyMessage(issue, path), found, isHidden(issue, path, found), keysOf);
  });
  const place = source === undefined ? '' : ` of ${source}`;
  const list = problems.map(({ message }) => message).join('\n');
  const head = problems.length === 1 ? 'has a problem' : `has ${problems.length} problems`;
  throw invalidRequest(`The section ${name}${place} ${head}:\n${list}`, name, 'invalid_config');
}

/** What programs are started with may be a secret; and a rule between keys is not about the mapping that holds them. */
function isHidden(issue: z.core.$ZodIssue, path: ConfigPath, value: unknown): boolean {
  const isStarted = path.some((step) => step === 'env' || step === 'args');
  const isWhole = issue.code === 'invalid_key' || (issue.code === 'custom' && isRecord(value));
  return isStarted || isWhole || isSecretPath(path);
}

/** A wrong name in a mapping of names is told in the words of the name's own schema. */
function withKeyMessage(issue: z.core.$ZodIssue, path: ConfigPath): z.core.$ZodIssue {
  const message = (issue.code === 'invalid_key' ? issue.issues[0]?.message : undefined) ?? issue.message;
  return { ...issue, message, path: [...path] };
}

import type { z } from 'zod';
import { formatPath } from '../../config/config-problem.ts';
import { invalidRequest, nearestName } from '../../core/index.ts';
import { policySchema } from './policy-schema.ts';

/** The `policy` section of a configuration; every problem names its key. `source` is the file it stands in. */
export function readPolicySection(section: unknown, source?: string): z.output<typeof policySchema> {
  const parsed = policySchema.safeParse(section ?? {});
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.flatMap(describeIssue);
  throw invalidRequest(
    `The policy${source === undefined ? '' : ` in ${source}`} is wrong: ${problems.join('; ')}. Correct the section policy.`,
    'policy',
    'invalid_config',
  );
}

/** Values are not repeated: the environment may have filled them in. */
function describeIssue(issue: z.core.$ZodIssue): string[] {
  const at = ['policy', ...issue.path.filter((step) => typeof step !== 'symbol')];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => describeUnknownKey(at, key));
  return [`${formatPath(at)} ${issue.message}`];
}

function describeUnknownKey(parent: readonly (string | number)[], key: string): string {
  const nearest = parent.length === 1 ? nearestName(key, Object.keys(policySchema.shape)) : undefined;
  const hint = nearest ? ` (did you mean ${nearest}?)` : '';
  return `${formatPath([...parent, key])} is not a known key${hint}`;
}

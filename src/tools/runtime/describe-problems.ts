import type { z } from 'zod';

/** Every problem of the arguments at once, in words a model can act on. */
export function describeProblems(tool: string, error: z.ZodError, given: unknown): string {
  const problems = error.issues.flatMap((issue) => describeIssue(issue, given));
  return `The arguments of ${tool} are wrong: ${[...new Set(problems)].join('; ')}. Correct them and call again.`;
}

function describeIssue(issue: z.core.$ZodIssue, given: unknown): string[] {
  const name = issue.path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index > 0 ? '.' : ''}${String(step)}`))
    .join('');
  const subject = name === '' ? 'they' : `\`${name}\``;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map(
        (key) => `\`${name === '' ? key : `${name}.${key}`}\` is not an argument of this tool`,
      );
    case 'invalid_type':
      if (valueAt(given, issue.path) === undefined && name !== '')
        return [`${subject} is missing (${issue.expected})`];
      return [`${subject} must be ${article(issue.expected)}`];
    case 'invalid_value':
      return [`${subject} must be one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`];
    case 'invalid_union': {
      const [first] = issue.errors;
      return first && first.length > 0
        ? first.map((inner) => `${subject}: ${inner.message}`)
        : [`${subject}: ${issue.message}`];
    }
    default:
      return [`${subject}: ${issue.message}`];
  }
}

function article(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    // Plain JSON: indexing an object or a list by a step of zod's own path.
    (at, step) =>
      typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[step] : undefined,
    value,
  );
}

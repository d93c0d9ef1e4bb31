// The section `policy` of crosspoint.yaml, and the shape of rule files that a repository brings along.
import { z } from 'zod';

export const SETTINGS = ['always-ask', 'auto-accept', 'run-everything'] as const;
export type Setting = (typeof SETTINGS)[number];

const DAY_MS = 24 * 60 * 60 * 1000;

function section<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : 'must be a mapping of keys'),
  });
}

function text(wish: string) {
  return z.string({ error: wish }).min(1, { error: wish });
}

function flag() {
  return z.boolean({ error: 'must be true or false' });
}

/** One text or a list of them; a list matches when any of its entries does. */
function texts(wish: string) {
  return z.union([text(wish), z.array(text(wish), { error: wish })], { error: wish });
}

export const ruleSchema = section({
  /** For messages and for `policy check`; without it the rule's place is its name. */
  id: text('must be a name').optional(),
  decision: z.enum(['allow', 'ask', 'deny'], { error: 'must be allow, ask or deny' }),
  tool: texts('must be the name of a tool, or a list of names; * stands for any letters').optional(),
  path: texts('must be a glob such as src/**, or a list of globs').optional(),
  access: z.array(z.enum(['read', 'write', 'delete'], { error: 'must be read, write or delete' })).optional(),
  /** The first words of a command, or all of them when a `$` ends them; every command in a pipe or list is judged alone. */
  command: texts('must be the first words of a command, e.g. "git status"').optional(),
  /** The whole command, letter by letter. */
  exactCommand: texts('must be a whole command').optional(),
  /** Narrows exactCommand to one folder. */
  cwd: text('must be an absolute path').optional(),
  host: texts('must be a host name such as example.org or *.example.org').optional(),
  mcp: texts('must be written as server:tool; * stands for any').optional(),
  reason: text('must be a sentence').optional(),
  /** Examples that must match and must not; checked when the rule is loaded. */
  match: z.array(text('must be an example'), { error: 'must be a list of examples' }).optional(),
  notMatch: z.array(text('must be an example'), { error: 'must be a list of examples' }).optional(),
});

const protectionsSchema = section({
  playwright: flag().default(true),
  mcpTools: flag().default(true),
  delete: flag().default(true),
  dotFiles: flag().default(true),
  outsideWorkspace: flag().default(true),
  /** Files that name commands for other programs: package.json, Makefile, *.config.js … */
  configFiles: flag().default(true),
});

/** The switches under the names that Cursor's clients send them with. */
export const autoRunControlsSchema = section({
  yoloMode: flag().optional(),
  playwrightProtection: flag().optional(),
  mcpToolsProtection: flag().optional(),
  isAdminControlled: flag().optional(),
});

export const policySchema = section({
  setting: z
    .enum(SETTINGS, { error: 'must be always-ask, auto-accept or run-everything' })
    .default('always-ask'),
  protections: protectionsSchema.prefault({}),
  autoRunControls: autoRunControlsSchema.optional(),
  isAdminControlled: flag().default(false),
  rules: z.array(ruleSchema, { error: 'must be a list of rules' }).default([]),
  /** How long an approval waits for an answer; then the call is denied. */
  approvalTimeoutMs: z
    .number({ error: 'must be a number of milliseconds' })
    .int()
    .min(1000, { error: 'must be at least 1000 milliseconds' })
    .max(7 * DAY_MS, { error: 'must be at most seven days' })
    .default(10 * 60 * 1000),
});

export type RuleConfig = z.output<typeof ruleSchema>;
export type Protections = z.output<typeof protectionsSchema>;
export type PolicyConfig = z.output<typeof policySchema>;
export type AutoRunControls = z.output<typeof autoRunControlsSchema>;

/** The policy of an empty section: always ask, every protection on. */
export function defaultPolicy(values: z.input<typeof policySchema> = {}): PolicyConfig {
  return policySchema.parse(values);
}

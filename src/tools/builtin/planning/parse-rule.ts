// Rule files: `.mdc` with front matter (description, globs, alwaysApply) as Cursor documents them, and plain Markdown
// (AGENTS.md, CLAUDE.md, .cursorrules), which always applies below its folder.

export interface RuleHead {
  readonly description: string;
  readonly globs: readonly string[];
  readonly alwaysApply: boolean;
}

export interface ParsedRule extends RuleHead {
  readonly body: string;
}

/** Read line by line and not as YAML: the usual `globs: *.ts` is not YAML, where a leading star means an alias. */
export function parseRule(text: string): ParsedRule {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  if (lines[0]?.trimEnd() !== '---' || end === -1)
    return { description: '', globs: [], alwaysApply: false, body: text.trim() };
  const fields = readFields(lines.slice(1, end));
  return {
    description: unquote(fields.get('description')?.join(' ') ?? ''),
    globs: (fields.get('globs') ?? []).flatMap(splitGlobs),
    alwaysApply: /^true$/i.test(fields.get('alwaysapply')?.[0] ?? ''),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
  };
}

function readFields(head: readonly string[]): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  let current: string[] = [];
  for (const line of head) {
    const field = /^([A-Za-z_-]+):(.*)$/.exec(line);
    if (field) {
      current = [];
      fields.set((field[1] ?? '').toLowerCase(), current);
    }
    const value = (field ? (field[2] ?? '') : line).trim().replace(/^- +/, '');
    // `>` and `|` announce a text on the following lines.
    if (value !== '' && !/^[>|][+-]?$/.test(value)) current.push(value);
  }
  return fields;
}

/** Commas part globs, except inside braces: `*.{ts,tsx}` is one. */
function splitGlobs(value: string): string[] {
  const list = unquote(value.replace(/^\[(.*)\]$/, '$1'));
  const globs: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= list.length; at++) {
    const character = list[at];
    if (character === '{') depth += 1;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (at < list.length && (character !== ',' || depth > 0)) continue;
    const glob = unquote(list.slice(start, at));
    if (glob !== '') globs.push(glob);
    start = at + 1;
  }
  return globs;
}

function unquote(value: string): string {
  return value.trim().replace(/^(?:"([^"]*)"|'([^']*)')$/, '$1$2');
}

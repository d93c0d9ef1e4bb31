// Answers of "always", kept as rules in a YAML file that people may read and change. They count in the workspace they
// were given in and nowhere else: `npm test` means another program in every project.
import { createHash } from 'node:crypto';
import { parseDocument, stringify } from 'yaml';
import { z } from 'zod';
import { readSection } from '../../config/read-section.ts';
import { invalidRequest, omitUndefined } from '../../core/index.ts';
import { type RuleConfig, ruleSchema } from './policy-schema.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

const HEAD = `# Answers of "always", by workspace. Each is a rule as under policy.rules of crosspoint.yaml.
# Delete one to be asked again; a gateway that runs reads the file when it is started anew.
`;

const fileSchema = z.strictObject({
  workspaces: z
    .record(z.string(), z.array(ruleSchema), { error: 'must be a mapping of folders' })
    .default({}),
});

type RulesByWorkspace = z.output<typeof fileSchema>['workspaces'];

export class RememberedRules {
  readonly file: string;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(file: string) {
    this.file = file;
  }

  /** `workspace` is a real path. */
  async list(workspace: string): Promise<readonly RuleConfig[]> {
    const all = await this.#read();
    return Object.hasOwn(all, workspace) ? (all[workspace] ?? []) : [];
  }

  /** The same rule twice is kept once. */
  keep(workspace: string, rule: RuleConfig, nowMs: number): Promise<void> {
    // One after the other: each change reads what the one before has written.
    const kept = this.#tail.then(() => this.#add(workspace, rule, nowMs));
    this.#tail = kept.catch(() => undefined);
    return kept;
  }

  async #add(workspace: string, rule: RuleConfig, nowMs: number): Promise<void> {
    const all = await this.#read();
    const id = `always-${createHash('sha256').update(JSON.stringify(rule)).digest('hex').slice(0, 8)}`;
    const rules = Object.hasOwn(all, workspace) ? (all[workspace] ?? []) : [];
    if (rules.some((one) => one.id === id)) return;
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const next = { id, reason: `Answered with "always" on ${day}.`, ...rule };
    const workspaces = { ...all, [workspace]: [...rules, next] };
    await writePrivateFile(this.file, HEAD + stringify({ workspaces }, { lineWidth: 0 }));
  }

  async #read(): Promise<RulesByWorkspace> {
    const text = await readPrivateFile(this.file);
    if (text === undefined || text.trim() === '') return {};
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error)
      throw invalidRequest(
        `${this.file} is not YAML: ${error.message.split('\n', 1)[0]} Correct it there, or delete the file to be asked again.`,
      );
    const value: unknown = document.toJS() ?? {};
    const { workspaces } = readSection('rules', fileSchema, value, this.file);
    return Object.fromEntries(
      Object.entries(workspaces).map(([folder, rules]) => [folder, rules.map((rule) => omitUndefined(rule))]),
    );
  }
}

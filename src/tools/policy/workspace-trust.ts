import { z } from 'zod';
import { readSection } from '../../config/read-section.ts';
import { invalidRequest, omitUndefined } from '../../core/index.ts';
import { readPrivateFile, writePrivateFile } from './private-file.ts';

const trustSchema = z.strictObject({
  workspaces: z
    .array(
      z.strictObject({
        /** With every link followed. */
        path: z.string(),
        trustedAt: z.string(),
        /** Of the rules that the repository had then. */
        rules: z.string().optional(),
      }),
    )
    .default([]),
});

export type TrustedWorkspace = z.output<typeof trustSchema>['workspaces'][number];

/** The workspaces whose files the user lets decide things, by real path: a link to another folder is another folder. */
export class WorkspaceTrust {
  readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  async find(workspace: string): Promise<TrustedWorkspace | undefined> {
    return (await this.list()).find(({ path }) => path === workspace);
  }

  async list(): Promise<readonly TrustedWorkspace[]> {
    const text = await readPrivateFile(this.file);
    if (text === undefined) return [];
    return readSection('trust', trustSchema, parseJson(text, this.file), this.file).workspaces;
  }

  async trust(
    workspace: string,
    options: { readonly rules?: string; readonly nowMs: number },
  ): Promise<void> {
    const entry = omitUndefined({
      path: workspace,
      trustedAt: new Date(options.nowMs).toISOString(),
      rules: options.rules,
    });
    await this.#write([...(await this.#others(workspace)), entry]);
  }

  /** False when it was not trusted. */
  async distrust(workspace: string): Promise<boolean> {
    if (!(await this.find(workspace))) return false;
    await this.#write(await this.#others(workspace));
    return true;
  }

  async #others(workspace: string): Promise<readonly TrustedWorkspace[]> {
    return (await this.list()).filter(({ path }) => path !== workspace);
  }

  #write(workspaces: readonly TrustedWorkspace[]): Promise<void> {
    return writePrivateFile(this.file, `${JSON.stringify({ workspaces }, undefined, 2)}\n`);
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest(`${file} is damaged. Delete it and trust your workspaces again.`);
  }
}

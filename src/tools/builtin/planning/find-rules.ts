import { opendir } from 'node:fs/promises';
import path from 'node:path';
import picomatch from 'picomatch';
import type { ToolContext } from '../../tool-context.ts';
import { openFile } from '../files/anchored-folder.ts';
import { type ParsedRule, parseRule } from './parse-rule.ts';

export interface FoundRule extends ParsedRule {
  /** Path below the workspace; the rule's short name is its last part without the ending. */
  readonly name: string;
  readonly path: string;
  /** The folder whose files it is about, relative to the workspace, '' for all. */
  readonly scope: string;
}

/** Rule files are prose; one that is larger is something else. */
const MAX_RULE_BYTES = 256 * 1024;
const MAX_RULES = 500;
const MAX_FOLDERS = 20_000;
const PLAIN_RULES = new Set(['AGENTS.md', 'CLAUDE.md', 'CLAUDE.local.md', '.cursorrules']);
const SKIPPED = new Set([
  'node_modules',
  '.git',
  '.hg',
  '.svn',
  'dist',
  'build',
  'target',
  '.venv',
  'vendor',
]);

/** Every rule of the workspace, the outermost first. Links to folders are not followed. */
export async function findRules(context: ToolContext): Promise<FoundRule[]> {
  const files: { file: string; scope: string }[] = [];
  const folders = [''];
  for (let at = 0; at < folders.length && at < MAX_FOLDERS && files.length < MAX_RULES; at++) {
    context.signal.throwIfAborted();
    const scope = folders[at] ?? '';
    const entries = await readNames(path.join(context.workspace.root, scope));
    for (const name of entries.files)
      if (PLAIN_RULES.has(name)) files.push({ file: join(scope, name), scope });
    for (const name of entries.folders) {
      if (name === '.cursor') files.push(...(await cursorRules(context, scope)));
      else if (!SKIPPED.has(name) && !name.startsWith('.')) folders.push(join(scope, name));
    }
  }
  const rules: FoundRule[] = [];
  for (const { file, scope } of files.slice(0, MAX_RULES)) {
    const rule = await readRule(context, file, scope);
    if (rule) rules.push(rule);
  }
  return rules;
}

/** Whether a rule speaks about a file: it lies in the rule's folder and fits a glob, if there are any. */
export function appliesTo(rule: FoundRule, file: string): boolean {
  const inScope = rule.scope === '' || file.startsWith(`${rule.scope}/`);
  if (!inScope) return false;
  if (rule.alwaysApply) return true;
  const below = rule.scope === '' ? file : file.slice(rule.scope.length + 1);
  return rule.globs.some((glob) => {
    // A glob without a slash is about names anywhere, as in ignore files.
    const pattern = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`;
    const matches = picomatch(pattern.endsWith('/') ? `${pattern}**` : pattern, { dot: true });
    return matches(below);
  });
}

async function cursorRules(context: ToolContext, scope: string): Promise<{ file: string; scope: string }[]> {
  const found: { file: string; scope: string }[] = [];
  const folders = [join(scope, '.cursor/rules')];
  for (let at = 0; at < folders.length && at < MAX_FOLDERS && found.length < MAX_RULES; at++) {
    const folder = folders[at] ?? '';
    const entries = await readNames(path.join(context.workspace.root, folder));
    for (const name of entries.files)
      if (/\.mdc?$/i.test(name)) found.push({ file: join(folder, name), scope });
    for (const name of entries.folders) folders.push(join(folder, name));
  }
  return found;
}

async function readNames(folder: string): Promise<{ files: string[]; folders: string[] }> {
  const files: string[] = [];
  const folders: string[] = [];
  try {
    for await (const entry of await opendir(folder)) {
      if (entry.isDirectory()) folders.push(entry.name);
      else files.push(entry.name);
    }
  } catch {
    // Not there, or not ours to read: no rules in it.
  }
  return { files: files.sort(), folders: folders.sort() };
}

async function readRule(context: ToolContext, file: string, scope: string): Promise<FoundRule | undefined> {
  // A linked rule file is fine while it stays inside; elsewhere it could show the model any file.
  const target = await context.workspace.resolve(file);
  if (!target.isInside || !target.exists) return undefined;
  const handle = await openFile(target.realPath).catch(() => undefined);
  if (!handle) return undefined;
  try {
    if ((await handle.stat()).size > MAX_RULE_BYTES) return undefined;
    const text = await handle.readFile('utf8');
    const isPlain = PLAIN_RULES.has(path.posix.basename(file));
    const parsed = isPlain
      ? { description: '', globs: [], alwaysApply: true, body: text.trim() }
      : parseRule(text);
    return { ...parsed, name: file, path: target.path, scope };
  } finally {
    await handle.close();
  }
}

function join(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

// Rules that a repository brings along, in `.crosspoint/policy.yaml`. They restrict at once; what they allow counts only
// while the user trusts the workspace, and only as the file was when the user said so.
import { createHash } from 'node:crypto';
import { lstat, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { parseDocument } from 'yaml';
import { readSection } from '../../config/read-section.ts';
import { invalidRequest, isJsonObject } from '../../core/index.ts';
import { type PolicyConfig, policySchema } from './policy-schema.ts';

export const WORKSPACE_RULES = '.crosspoint/policy.yaml';
const MAX_BYTES = 256 * 1024;

export interface WorkspaceRules {
  readonly file: string;
  readonly policy: PolicyConfig;
  /** Names exactly what the file says. */
  readonly fingerprint: string;
}

/** Undefined where the repository has none. A file that cannot be read is an error: it may forbid things. */
export async function readWorkspaceRules(root: string): Promise<WorkspaceRules | undefined> {
  const file = path.join(root, WORKSPACE_RULES);
  const found = await lstat(file).catch((error: unknown) => {
    if (isAbsence(error)) return undefined;
    throw error;
  });
  if (!found) return undefined;
  // A link could name any file of the user's, and messages would tell what is in it.
  const isPlain =
    found.isFile() && (await realpath(file)) === path.join(await realpath(root), WORKSPACE_RULES);
  if (!isPlain) throw invalidRequest(`${file} is a link or no plain file; make it a file or delete it.`);
  if (found.size > MAX_BYTES)
    throw invalidRequest(`${file} is larger than ${MAX_BYTES} bytes; make it shorter.`);
  const text = await readFile(file, 'utf8');
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error)
    throw invalidRequest(
      `${file} is not YAML: ${error.message.split('\n', 1)[0]} Correct it, or delete the file.`,
    );
  const given: unknown = document.toJS() ?? {};
  const policy = readSection('policy', policySchema, given, file);
  return {
    file,
    policy: withoutDefaults(policy, given),
    fingerprint: createHash('sha256').update(text).digest('hex'),
  };
}

function isAbsence(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

/** The strictest word wins, so what the file does not speak of must say nothing, not the default. */
function withoutDefaults(policy: PolicyConfig, given: unknown): PolicyConfig {
  const written = isJsonObject(given) ? given : {};
  const named = isJsonObject(written.protections) ? written.protections : {};
  const isOn = (name: keyof PolicyConfig['protections']) =>
    Object.hasOwn(named, name) && policy.protections[name];
  return {
    ...policy,
    setting: written.setting === undefined ? 'run-everything' : policy.setting,
    protections: {
      playwright: isOn('playwright'),
      mcpTools: isOn('mcpTools'),
      delete: isOn('delete'),
      dotFiles: isOn('dotFiles'),
      outsideWorkspace: isOn('outsideWorkspace'),
      configFiles: isOn('configFiles'),
    },
  };
}

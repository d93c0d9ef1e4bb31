import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installPackages } from '../support/install-packages.ts';

/** A published version of @cursor/sdk and the Node it needs. */
export interface SdkVersion {
  readonly version: string;
  /** A Node from npm, where the one that runs the suite may be too old. */
  readonly node?: string;
  /** Whether it tries a broken run again and lets its caller choose the tools. */
  readonly isNewer: boolean;
}

export const SDK_VERSIONS: readonly SdkVersion[] = [
  { version: '1.0.18', isNewer: false },
  { version: '1.0.32', node: '22.23.3', isNewer: true },
];

export type SdkInstallation =
  | { readonly node: string; readonly module: string; readonly folder: string }
  | { readonly problem: string };

export async function installSdk({ version, node }: SdkVersion): Promise<SdkInstallation> {
  const nodePackage = `node-${process.platform}-${process.arch}`;
  const specifiers = [`@cursor/sdk@${version}`, ...(node === undefined ? [] : [`${nodePackage}@${node}`])];
  const installed = await installPackages(`cursor-sdk-${version}`, specifiers);
  if ('problem' in installed) return installed;
  const modules = join(installed.folder, 'node_modules');
  const program = node === undefined ? process.execPath : join(modules, nodePackage, 'bin/node');
  if (!existsSync(program)) return { problem: `${nodePackage}@${node} has no program for this machine` };
  return { node: program, module: join(modules, '@cursor/sdk/dist/esm/index.js'), folder: installed.folder };
}

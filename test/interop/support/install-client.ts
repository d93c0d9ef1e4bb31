import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InteropClient } from '../clients/index.ts';
import { installPackages } from './install-packages.ts';

/** The program of a client, or why it could not be installed. */
export type Installation = { readonly program: string } | { readonly problem: string };

export async function installClient(client: InteropClient): Promise<Installation> {
  const specifier = `${client.packageName}@${client.version}`;
  const installed = await installPackages(`${client.name}-${client.version}`, [specifier]);
  if ('problem' in installed) return installed;
  const program = join(installed.folder, 'node_modules/.bin', client.bin);
  return existsSync(program) ? { program } : { problem: `${specifier} has no program ${client.bin}` };
}

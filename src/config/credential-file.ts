import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { GatewayError } from '../core/index.ts';
import { type CredentialVault, credentialSchema } from './credential.ts';
import { errnoOf } from './errno.ts';
import { ensureStateHome, type StatePaths } from './paths.ts';

/** Entries are kept as they stand: one that a later version wrote must survive a login elsewhere. */
const fileSchema = z.object({ accounts: z.record(z.string(), z.unknown()) });
type Accounts = z.output<typeof fileSchema>['accounts'];

/** Credentials in one file for its owner only. It is replaced as a whole, so a reader never sees half of it. */
export function createCredentialFile(file: string, paths: StatePaths): CredentialVault {
  let queue: Promise<unknown> = Promise.resolve();
  /** Changes of this process wait for each other; two at once would lose one. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => {});
    return result;
  };
  return {
    names: async () => Object.keys(await readAccounts(file)),
    async read(name) {
      const accounts = await readAccounts(file);
      if (!Object.hasOwn(accounts, name)) return undefined;
      const parsed = credentialSchema.safeParse(accounts[name]);
      if (!parsed.success) throw damaged(file);
      return parsed.data;
    },
    write: (name, credential) =>
      inTurn(async () => {
        await ensureStateHome(paths);
        await replace(file, { ...(await readAccounts(file)), [name]: credential });
        return file;
      }),
    remove: (name) =>
      inTurn(async () => {
        const accounts = await readAccounts(file);
        if (!Object.hasOwn(accounts, name)) return false;
        const { [name]: _, ...rest } = accounts;
        if (Object.keys(rest).length === 0) await rm(file, { force: true });
        else await replace(file, rest);
        return true;
      }),
  };
}

async function readAccounts(file: string): Promise<Accounts> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
    const { mode } = await stat(file);
    if ((mode & 0o077) !== 0) await chmod(file, 0o600);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return {};
    const why = errnoOf(error) ?? 'unknown';
    throw new GatewayError(
      'internal',
      `The credentials in ${file} cannot be read (${why}). Make the file yours.`,
    );
  }
  const parsed = fileSchema.safeParse(parseJson(text));
  if (!parsed.success) throw damaged(file);
  return parsed.data.accounts;
}

/** The parser's own message quotes the text, which is all secrets. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(file: string): GatewayError {
  return new GatewayError(
    'internal',
    `The credentials in ${file} are damaged. Delete the file and run \`crosspoint login\` again.`,
  );
}

async function replace(file: string, accounts: Accounts): Promise<void> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(draft, `${JSON.stringify({ accounts }, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    const why = errnoOf(error) ?? 'unknown';
    throw new GatewayError('internal', `The credentials cannot be saved in ${file} (${why}).`);
  }
}

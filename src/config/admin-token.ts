import { randomBytes } from 'node:crypto';
import { chmod, link, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { GatewayError } from '../core/index.ts';
import { errnoOf } from './errno.ts';
import { ensureStateHome, type StatePaths } from './paths.ts';

const TOKEN_BYTES = 32;
const TOKEN_SHAPE = /^[\w-]{43}$/;

/** The token of the admin API, or undefined when no gateway was ever started here. */
export async function readAdminToken(paths: StatePaths): Promise<string | undefined> {
  let text: string;
  try {
    text = (await readFile(paths.adminToken, 'utf8')).trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  if (!TOKEN_SHAPE.test(text)) {
    throw new GatewayError(
      'internal',
      `The admin token in ${paths.adminToken} is damaged. Delete the file; the next start writes a new one.`,
    );
  }
  const { mode } = await stat(paths.adminToken);
  if ((mode & 0o077) !== 0) await chmod(paths.adminToken, 0o600);
  return text;
}

/**
 * The token, made on first use. The file appears whole or not at all: it is written under another name and then
 * linked, which fails if somebody was faster, so that two starts at once agree on one token.
 */
export async function ensureAdminToken(paths: StatePaths): Promise<string> {
  await ensureStateHome(paths);
  const existing = await readAdminToken(paths);
  if (existing !== undefined) return existing;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const draft = `${paths.adminToken}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, paths.adminToken);
    return token;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    return (await readAdminToken(paths)) ?? token;
  } finally {
    await rm(draft, { force: true });
  }
}

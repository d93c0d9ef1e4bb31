import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { credentialName, openCredentialVault, type StoredCredential } from './credentials.ts';
import { statePaths } from './paths.ts';

const LOGIN: StoredCredential = {
  kind: 'login',
  accessToken: 'access-1',
  refreshToken: 'refresh-1',
  account: 'ada@example.org',
  savedAtMs: 1,
};
const KEY: StoredCredential = { kind: 'api-key', apiKey: 'crsr_abc', savedAtMs: 2 };

function open(
  loadKeyring: () => Promise<unknown> = () => Promise.reject(new Error('not installed')),
  env = {},
) {
  const folder = mkdtempSync(path.join(tmpdir(), 'crosspoint-vault-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const paths = statePaths({ env: { CROSSPOINT_HOME: path.join(folder, 'state') }, home: folder });
  const file = path.join(paths.home, 'credentials.json');
  return { vault: openCredentialVault({ paths, env, loadKeyring }), file, paths };
}

describe('the name of a credential', () => {
  it.each([
    ['https://api2.cursor.sh', 'api2.cursor.sh'],
    ['https://API2.cursor.sh/some/path', 'api2.cursor.sh'],
    ['https://example.org:8443/', 'example.org:8443'],
    ['http://api2.cursor.sh', 'http://api2.cursor.sh'],
    ['http://127.0.0.1:9000/x', 'http://127.0.0.1:9000'],
  ])('of %s is %s', (baseUrl, name) => expect(credentialName(baseUrl)).toBe(name));
});

describe('the file of credentials', () => {
  it('keeps one for each server and forgets it on demand', async () => {
    const { vault, file } = open();
    expect(await vault.read('a')).toBeUndefined();
    expect(await vault.write('a', LOGIN)).toBe(file);
    await vault.write('b', KEY);
    expect(await vault.names()).toEqual(['a', 'b']);
    expect(await vault.read('a')).toEqual(LOGIN);
    expect(await vault.remove('a')).toBe(true);
    expect(await vault.remove('a')).toBe(false);
    expect(await vault.read('a')).toBeUndefined();
    expect(await vault.read('b')).toEqual(KEY);
  });

  it('is its owner’s alone, in a folder of the same kind', async () => {
    const { vault, file, paths } = open();
    await vault.write('a', LOGIN);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(paths.home).mode & 0o777).toBe(0o700);
    chmodSync(file, 0o644);
    await vault.read('a');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('goes away with the last credential and leaves no drafts', async () => {
    const { vault, paths } = open();
    await vault.write('a', LOGIN);
    await vault.remove('a');
    expect(readdirSync(paths.home)).toEqual([]);
  });

  it('loses nothing when several are written at once', async () => {
    const { vault } = open();
    const names = Array.from({ length: 20 }, (_, index) => `host-${index}`);
    await Promise.all(names.map((name) => vault.write(name, KEY)));
    expect((await vault.names()).toSorted()).toEqual(names.toSorted());
  });

  it('leaves entries alone that it does not understand', async () => {
    const { vault, file } = open();
    await vault.write('a', LOGIN);
    const future = { kind: 'passkey', savedAtMs: 3 };
    writeFileSync(file, JSON.stringify({ accounts: { a: LOGIN, z: future } }));
    await vault.write('b', KEY);
    expect(JSON.parse(readFileSync(file, 'utf8')).accounts.z).toEqual(future);
    await expect(vault.read('z')).rejects.toThrow('are damaged');
  });

  it('says what to do when it is damaged, without quoting it', async () => {
    const { vault, file } = open();
    await vault.write('a', LOGIN);
    writeFileSync(file, '{"accounts": access-1');
    const failure: unknown = await vault.read('a').catch((thrown: unknown) => thrown);
    expect(String(failure)).toContain(`The credentials in ${file} are damaged. Delete the file`);
    expect(String(failure)).not.toContain('access-1');
  });
});

/** The package as far as we use it; `refuses` makes it behave as in a container. */
function fakeKeyring(refuses = false) {
  const kept = new Map<string, string>();
  const guard = () => {
    if (refuses) throw new Error('AccessDenied');
  };
  class AsyncEntry {
    readonly #key: string;
    constructor(service: string, account: string) {
      this.#key = `${service}\n${account}`;
    }
    async getPassword() {
      guard();
      return kept.get(this.#key);
    }
    async setPassword(password: string) {
      guard();
      kept.set(this.#key, password);
    }
    async deleteCredential() {
      guard();
      return kept.delete(this.#key);
    }
  }
  const findCredentialsAsync = async (service: string) => {
    guard();
    return [...kept.keys()].flatMap((key) => {
      const [owner, account] = key.split('\n');
      return owner === service ? [{ account }] : [];
    });
  };
  return { kept, load: async () => ({ AsyncEntry, findCredentialsAsync }) };
}

describe('the keychain', () => {
  it('is preferred where its package is installed, and no file is written', async () => {
    const keyring = fakeKeyring();
    const { vault, paths } = open(keyring.load);
    expect(await vault.write('a', LOGIN)).toBe('the keychain of the system');
    expect(keyring.kept.size).toBe(1);
    expect([...keyring.kept.keys()][0]).toContain(paths.home);
    expect(await vault.read('a')).toEqual(LOGIN);
    expect(await vault.names()).toEqual(['a']);
    expect(await vault.remove('a')).toBe(true);
    expect(await vault.names()).toEqual([]);
  });

  it('gives way to the file when it refuses', async () => {
    const { vault, file } = open(fakeKeyring(true).load);
    expect(await vault.write('a', LOGIN)).toBe(file);
    expect(await vault.read('a')).toEqual(LOGIN);
    expect(await vault.names()).toEqual(['a']);
    expect(await vault.remove('a')).toBe(true);
  });

  it('takes over from the file, and the newer of two counts', async () => {
    const keyring = fakeKeyring();
    const { vault, file, paths } = open(keyring.load);
    const filed = openCredentialVault({ paths, env: { CROSSPOINT_CREDENTIALS: 'file' } });
    await vault.write('a', LOGIN);
    await filed.write('a', { ...LOGIN, accessToken: 'access-2', savedAtMs: 9 });
    expect(await vault.read('a')).toMatchObject({ accessToken: 'access-2' });
    await vault.write('a', { ...LOGIN, accessToken: 'access-3', savedAtMs: 10 });
    expect(() => statSync(file)).toThrow();
    expect(await vault.read('a')).toMatchObject({ accessToken: 'access-3' });
  });

  it('is left alone when the file is asked for', async () => {
    const keyring = fakeKeyring();
    const { vault, file } = open(keyring.load, { CROSSPOINT_CREDENTIALS: 'file' });
    expect(await vault.write('a', LOGIN)).toBe(file);
    expect(keyring.kept.size).toBe(0);
  });

  it('does not stand in the way when the package is something else', async () => {
    const { vault, file } = open(async () => ({ Entry: class {} }));
    expect(await vault.write('a', LOGIN)).toBe(file);
  });
});

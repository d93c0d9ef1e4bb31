// Where the account of an agent backend is kept: the keychain of the system if there is one, else a private file.
import path from 'node:path';
import type { CredentialVault } from './credential.ts';
import { createCredentialFile } from './credential-file.ts';
import { openKeychain } from './credential-keychain.ts';
import type { Env } from './expand-env.ts';
import type { StatePaths } from './paths.ts';

export { type CredentialVault, credentialName, type StoredCredential } from './credential.ts';

export interface OpenVaultOptions {
  readonly paths: StatePaths;
  /** CROSSPOINT_CREDENTIALS=file keeps out of the keychain. */
  readonly env: Env;
  readonly loadKeyring?: () => Promise<unknown>;
}

/** Opens lazily: nothing is read, loaded or created before the first use. */
export function openCredentialVault({ paths, env, loadKeyring }: OpenVaultOptions): CredentialVault {
  const file = createCredentialFile(path.join(paths.home, 'credentials.json'), paths);
  if (env.CROSSPOINT_CREDENTIALS === 'file') return file;
  let keychain: Promise<CredentialVault | undefined> | undefined;
  const open = () => {
    keychain ??= openKeychain(paths.home, loadKeyring);
    return keychain;
  };
  return keychainFirst(open, file);
}

/**
 * A keychain may be locked, absent in a container or too small for two tokens: whatever it refuses goes to the file.
 * Of two credentials the newer one counts, since an old one may linger where it could not be removed.
 */
function keychainFirst(
  open: () => Promise<CredentialVault | undefined>,
  file: CredentialVault,
): CredentialVault {
  const attempt = async <T>(use: (keychain: CredentialVault) => Promise<T>): Promise<T | undefined> => {
    const keychain = await open();
    return keychain && use(keychain).catch(() => undefined);
  };
  return {
    async names() {
      const kept = (await attempt((keychain) => keychain.names())) ?? [];
      return [...new Set([...kept, ...(await file.names())])];
    },
    async read(name) {
      const kept = await attempt((keychain) => keychain.read(name));
      const filed = await file.read(name);
      if (!kept || !filed) return kept ?? filed;
      return filed.savedAtMs > kept.savedAtMs ? filed : kept;
    },
    async write(name, credential) {
      const place = await attempt((keychain) => keychain.write(name, credential));
      if (place === undefined) return file.write(name, credential);
      await file.remove(name);
      return place;
    },
    async remove(name) {
      const wasKept = await attempt((keychain) => keychain.remove(name));
      const wasFiled = await file.remove(name);
      return wasKept === true || wasFiled;
    },
  };
}

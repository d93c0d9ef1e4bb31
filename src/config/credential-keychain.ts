// The keychain of the system (macOS Keychain, Windows Credential Manager, Secret Service) by way of the optional package
// @napi-rs/keyring; the calls are those of its index.d.ts, version 2. Whoever wants it installs it; nothing needs it.
import { type CredentialVault, credentialSchema } from './credential.ts';

const PACKAGE = '@napi-rs/keyring';

interface Entry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(password: string): Promise<void>;
  deleteCredential(): Promise<boolean>;
}

interface Keyring {
  readonly AsyncEntry: new (service: string, account: string) => Entry;
  findCredentialsAsync(service: string): Promise<readonly { readonly account: string }[]>;
}

/** The keychain, or undefined where the package is missing or does not load. Its calls may still fail. */
export async function openKeychain(
  stateHome: string,
  load: () => Promise<unknown> = () => import(PACKAGE),
): Promise<CredentialVault | undefined> {
  const keyring = await load().catch(() => undefined);
  if (!isKeyring(keyring)) return undefined;
  // Two state folders are two installations; they do not share an account unasked.
  const service = `crosspoint ${stateHome}`;
  const entry = (name: string) => new keyring.AsyncEntry(service, name);
  return {
    names: async () => (await keyring.findCredentialsAsync(service)).map(({ account }) => account),
    async read(name) {
      const text = await entry(name).getPassword();
      if (!text) return undefined;
      const parsed = credentialSchema.safeParse(JSON.parse(text));
      return parsed.success ? parsed.data : undefined;
    },
    async write(name, credential) {
      await entry(name).setPassword(JSON.stringify(credential));
      return 'the keychain of the system';
    },
    remove: (name) => entry(name).deleteCredential(),
  };
}

function isKeyring(loaded: unknown): loaded is Keyring {
  if (typeof loaded !== 'object' || loaded === null) return false;
  const { AsyncEntry, findCredentialsAsync } = loaded as Partial<Keyring>; // looked at in the next line
  return typeof AsyncEntry === 'function' && typeof findCredentialsAsync === 'function';
}

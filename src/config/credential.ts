import { z } from 'zod';

const common = {
  /** Whose it is, for people: an e-mail address or an id. */
  account: z.string().optional(),
  savedAtMs: z.number(),
};

export const credentialSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('login'),
    accessToken: z.string(),
    refreshToken: z.string().optional(),
    /** The way of refreshing that has worked. */
    refreshVia: z.string().optional(),
    ...common,
  }),
  z.object({ kind: z.literal('api-key'), apiKey: z.string(), ...common }),
]);

export type StoredCredential = z.output<typeof credentialSchema>;

/** One credential for each server. Names are those of `credentialName`. */
export interface CredentialVault {
  names(): Promise<readonly string[]>;
  read(name: string): Promise<StoredCredential | undefined>;
  /** Returns where it went, in words for people. */
  write(name: string, credential: StoredCredential): Promise<string>;
  /** False when there was none. */
  remove(name: string): Promise<boolean>;
}

/**
 * The name under which the credential of a server is kept: its host. Without TLS it is a name of its own, so that a
 * credential of an https server never leaves in clear.
 */
export function credentialName(baseUrl: string): string {
  const { protocol, host, origin } = new URL(baseUrl);
  return protocol === 'https:' ? host : origin;
}

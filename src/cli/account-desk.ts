import { InvalidArgumentError } from 'commander';
import { type CredentialVault, credentialName, openCredentialVault } from '../config/credentials.ts';
import { isHttpUrl, isLoopbackHost, statePaths } from '../config/index.ts';
import type { CliContext } from './context.ts';

/** Where one account is dealt with: its server, and the place that keeps it here. */
export interface AccountDesk {
  readonly baseUrl: string;
  readonly host: string;
  /** Its name in the vault. */
  readonly name: string;
  readonly vault: CredentialVault;
}

export function openVault(context: CliContext): CredentialVault {
  return openCredentialVault({ paths: statePaths(context), env: context.env });
}

export function openAccountDesk(context: CliContext, baseUrl: string): AccountDesk {
  const { host } = new URL(baseUrl);
  return { baseUrl, host, name: credentialName(baseUrl), vault: openVault(context) };
}

/** The value of --base-url. */
export function parseBaseUrl(text: string): string {
  if (!isHttpUrl(text)) throw new InvalidArgumentError('It must be an http:// or https:// address.');
  const url = new URL(text);
  if (url.username || url.password)
    throw new InvalidArgumentError('It must not hold a user name or password.');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

/** What others on the way could read, in one line, or nothing. */
export function cleartextWarning(baseUrl: string): string {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'https:' || isLoopbackHost(hostname)) return '';
  return `! ${hostname} is reached without TLS: the credential crosses the network in clear. Use https:// if it can.\n`;
}

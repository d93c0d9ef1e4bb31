// Speaks the profile language of macOS's sandbox-exec (SBPL), which Apple does not document; known from the profiles that
// ship with the system. Written without a Mac at hand: that the profile is accepted is not proven here.
import type { SandboxPolicy } from './sandbox-policy.ts';

export const SANDBOX_EXEC = '/usr/bin/sandbox-exec';

/** The last rule that matches decides, so the general ones come first. */
export function seatbeltProfile(policy: SandboxPolicy): string {
  return [
    '(version 1)',
    '(allow default)',
    '(deny file-write*)',
    '(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/dtracehelper"))',
    // There is no private /tmp here: the temporary folders are the user's own and shared.
    '(allow file-write* (subpath "/private/tmp") (subpath "/private/var/folders"))',
    ...policy.writable.map((folder) => `(allow file-write* (subpath ${quote(folder)}))`),
    ...policy.readOnly.map((place) => `(deny file-write* (subpath ${quote(place)}))`),
    ...policy.hidden.map((folder) => `(deny file-read* file-write* (subpath ${quote(folder)}))`),
    ...(policy.allowsNetwork ? [] : ['(deny network*)']),
    '',
  ].join('\n');
}

export function seatbeltArgv(policy: SandboxPolicy, argv: readonly string[]): string[] {
  return [SANDBOX_EXEC, '-p', seatbeltProfile(policy), ...argv];
}

function quote(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

// Speaks bubblewrap's command line (bwrap(1), tried with 0.8): later mounts cover earlier ones, so their order matters.
import path from 'node:path';
import { leadsOut } from '../workspace.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';

/** A read-only system with a private /tmp, the writable folders back on top, nothing shared but what is asked for. */
export function bubblewrapArgv(
  bwrap: string,
  policy: SandboxPolicy,
  command: { readonly argv: readonly string[]; readonly cwd: string },
): string[] {
  const hiddenInside = policy.hidden.filter((folder) => policy.writable.some((top) => isInside(top, folder)));
  const hiddenOutside = policy.hidden.filter((folder) => !hiddenInside.includes(folder));
  return [
    bwrap,
    ...['--ro-bind', '/', '/'],
    ...['--dev', '/dev'],
    ...['--proc', '/proc'],
    ...['--tmpfs', '/tmp'],
    // Sockets of daemons (containers, the session bus) are here, and a read-only mount does not keep anyone from
    // connecting to them. Name look-up needs one folder of it.
    ...['--tmpfs', '/run'],
    ...(policy.allowsNetwork ? ['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'] : []),
    ...hiddenOutside.flatMap((folder) => ['--tmpfs', folder]),
    ...policy.writable.flatMap((folder) => ['--bind', folder, folder]),
    ...hiddenInside.flatMap((folder) => ['--tmpfs', folder]),
    ...policy.readOnly.flatMap((place) => ['--ro-bind', place, place]),
    '--unshare-all',
    ...(policy.allowsNetwork ? ['--share-net'] : []),
    // A terminal shared with the outside could be typed into (TIOCSTI).
    '--new-session',
    '--die-with-parent',
    ...['--chdir', command.cwd],
    '--',
    ...command.argv,
  ];
}

function isInside(top: string, place: string): boolean {
  return !leadsOut(path.relative(top, place));
}

import { bubblewrapArgv } from './bubblewrap.ts';
import type { SandboxPolicy } from './sandbox-policy.ts';
import type { SandboxStatus } from './sandbox-status.ts';
import { seatbeltArgv } from './seatbelt.ts';

/** The command line that runs another one inside the sandbox this machine has. */
export function sandboxArgv(
  status: SandboxStatus & { isAvailable: true },
  policy: SandboxPolicy,
  command: { readonly argv: readonly string[]; readonly cwd: string },
): string[] {
  return status.kind === 'bubblewrap'
    ? bubblewrapArgv(status.program, policy, command)
    : seatbeltArgv(policy, command.argv);
}

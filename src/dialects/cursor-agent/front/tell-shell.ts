import type { ShellResult } from '../../../gen/agent/v1/exec_shell_pb.ts';

/** What came of a command that answered in one message, in words for the model. */
export function tellShell({ result }: ShellResult): string {
  switch (result.case) {
    case 'success':
    case 'failure': {
      const { stdout, stderr, exitCode } = result.value;
      return [`Exit code ${exitCode}.`, stdout, stderr].filter((text) => text !== '').join('\n');
    }
    case undefined:
      return 'The command was interrupted.';
    default:
      return `The command was not run to its end (${result.case}).`;
  }
}

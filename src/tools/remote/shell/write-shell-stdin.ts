import { readJobId } from '../../builtin/shell/job-id.ts';
import { fail } from '../../tool-outcome.ts';
import { defineRemoteTool } from '../remote-tool.ts';
import { runExec } from '../run-exec.ts';

export const writeShellStdin = defineRemoteTool<{ shell_id: string; chars: string }>('write_shell_stdin', {
  async run({ shell_id, chars }, call) {
    if (readJobId(shell_id) === undefined)
      return {
        outcome: fail('ENOENT', `${shell_id} is not the id of a command; ids are numbers, e.g. "1".`),
      };
    return runExec(call, 'shell-stdin', { shell_id, chars });
  },
});

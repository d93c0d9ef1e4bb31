import { defineRemoteTool } from '../remote-tool.ts';
import { runExec } from '../run-exec.ts';

export const deleteFile = defineRemoteTool<{ path: string }>('delete_file', {
  async run({ path }, call) {
    const absolute = call.session.folder.absolute(path);
    const answer = await runExec(call, 'delete', { path: absolute });
    if (answer.outcome.ok) call.session.forget(absolute);
    return answer;
  },
});

import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { ExecResult } from '../../../native/remote-port.ts';
import type { ReadArguments } from '../../builtin/files/read-file.ts';
import { decodeExecResult } from '../exec/exec-codec.ts';
import { defineRemoteTool, type RemoteCall } from '../remote-tool.ts';
import { sendExec } from '../run-exec.ts';

/** The whole file is asked for and the range is taken here: not every client knows ranges. */
export const readFile = defineRemoteTool<ReadArguments>('read_file', {
  async run(args, call) {
    const path = call.session.folder.absolute(args.path);
    const wanted: JsonObject = omitUndefined({ ...args, path });
    let message = await sendExec(call, 'read', { path });
    const bytes = wholeContent(message);
    if (bytes !== undefined) call.session.remember(path, bytes);
    else if (isCut(message) && (args.offset !== undefined || args.limit !== undefined))
      message = await readPart(call, wanted, message);
    return { outcome: decodeExecResult('read', message, wanted) };
  },
});

/** A client that cuts a file may know ranges; one that does not answers as before. */
async function readPart(call: RemoteCall, wanted: JsonObject, cut: ExecResult): Promise<ExecResult> {
  const { path, offset, limit } = wanted;
  const part = await sendExec(call, 'read', omitUndefined({ path, offset, limit }) as JsonObject); // came as JSON
  const success = successOf(part);
  return success?.rangeApplied === true ? part : cut;
}

function isCut(message: ExecResult): boolean {
  const success = successOf(message);
  return success?.truncated === true || success?.outputBlobId !== undefined;
}

function successOf(message: ExecResult) {
  if (message.case !== 'readResult' || message.value.result.case !== 'success') return undefined;
  return message.value.result.value;
}

/** Undefined unless the client has sent all of the file. */
export function wholeContent(message: ExecResult): Buffer | undefined {
  const success = successOf(message);
  if (success === undefined || success.truncated || success.rangeApplied) return undefined;
  const { output } = success;
  if (output.case === 'data') return Buffer.from(output.value);
  if (output.case === 'content') return Buffer.from(output.value, 'utf8');
  return success.outputBlobId === undefined ? Buffer.alloc(0) : undefined;
}

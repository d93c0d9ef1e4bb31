import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import { decodeExecResult } from '../exec/exec-codec.ts';
import type { RemoteFolder } from '../remote-folder.ts';
import { defineRemoteTool, type RemoteAnswer, type RemoteCall } from '../remote-tool.ts';
import { runExec, sendExec } from '../run-exec.ts';
import { dropForbidden } from './drop-forbidden.ts';

interface ListArguments {
  readonly target_directory: string;
  readonly ignore_globs?: readonly string[];
}

export const listDir = defineRemoteTool<ListArguments>('list_dir', {
  run: (args, call) =>
    runExec(call, 'ls', {
      target_directory: call.session.folder.absolute(args.target_directory),
      ...(args.ignore_globs === undefined ? {} : { ignore_globs: [...args.ignore_globs] }),
    }),
});

export const grep = defineRemoteTool<JsonObject>('grep', {
  run: (args, call) => search('grep', withFolder(args, 'path', call.session.folder), call),
});

export const globFileSearch = defineRemoteTool<JsonObject>('glob_file_search', {
  run: (args, call) => search('glob', withFolder(args, 'target_directory', call.session.folder), call),
});

async function search(exec: 'grep' | 'glob', args: JsonObject, call: RemoteCall): Promise<RemoteAnswer> {
  const message = await sendExec(call, exec, args);
  const place = args.path ?? args.target_directory;
  const dropped = await dropForbidden(message, typeof place === 'string' ? place : undefined, call);
  const outcome = decodeExecResult(exec, message, args);
  if (dropped === 0 || !outcome.ok) return { outcome, result: message.value };
  const note = `[${dropped === 1 ? '1 file is' : `${dropped} files are`} left out: the operator forbids reading ${dropped === 1 ? 'it' : 'them'}]`;
  return { outcome: { ...outcome, content: `${outcome.content}\n${note}` }, result: message.value };
}

/** A search without a place is one of the whole workspace, and every client knows which that is. */
function withFolder(args: JsonObject, key: string, folder: RemoteFolder): JsonObject {
  const given = args[key];
  const place = typeof given === 'string' && given !== '' ? folder.absolute(given) : undefined;
  return omitUndefined({ ...args, [key]: place }) as JsonObject; // just freed of undefined
}

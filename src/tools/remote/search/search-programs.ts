import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import type { RemoteFolder } from '../remote-folder.ts';
import { defineRemoteTool } from '../remote-tool.ts';
import { runExec } from '../run-exec.ts';

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
  run: (args, call) => runExec(call, 'grep', withFolder(args, 'path', call.session.folder)),
});

export const globFileSearch = defineRemoteTool<JsonObject>('glob_file_search', {
  run: (args, call) => runExec(call, 'glob', withFolder(args, 'target_directory', call.session.folder)),
});

/** A search without a place is one of the whole workspace, and every client knows which that is. */
function withFolder(args: JsonObject, key: string, folder: RemoteFolder): JsonObject {
  const given = args[key];
  const place = typeof given === 'string' && given !== '' ? folder.absolute(given) : undefined;
  return omitUndefined({ ...args, [key]: place }) as JsonObject; // just freed of undefined
}

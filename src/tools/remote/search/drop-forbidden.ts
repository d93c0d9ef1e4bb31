// A search of a folder reads files below it that may be forbidden by name. The client has read them already; the model
// is not told what was found there.
import type { GrepUnionResult } from '../../../gen/agent/v1/exec_grep_pb.ts';
import type { ExecResult } from '../../../native/remote-port.ts';
import type { RemoteCall } from '../remote-tool.ts';

/** Takes what was found in forbidden files out of the message; gives how many files that were. */
export async function dropForbidden(
  message: ExecResult,
  searched: string | undefined,
  call: RemoteCall,
): Promise<number> {
  const { session } = call;
  if (!session.options.forbids || message.case !== 'grepResult') return 0;
  if (message.value.result.case !== 'success') return 0;
  let count = 0;
  for (const [folder, { result }] of Object.entries(message.value.result.value.workspaceResults)) {
    const forbidden = new Set<string>();
    for (const file of filesIn(result)) {
      // Clients differ in what a name is relative to: the workspace, or the folder that was searched.
      const places = [folder, searched ?? folder].map((place) => session.folder.join(place, file));
      if (await isForbidden(new Set(isAbsolute(file) ? [file] : places), call)) forbidden.add(file);
    }
    count += forbidden.size;
    drop(result, (file) => forbidden.has(file), forbidden.size);
  }
  return count;
}

function isAbsolute(file: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(file);
}

async function isForbidden(
  paths: ReadonlySet<string>,
  { session, tool, mode }: RemoteCall,
): Promise<boolean> {
  for (const path of paths)
    if (await session.isForbidden({ tool, touches: [{ type: 'path', path, access: 'read' }], mode }))
      return true;
  return false;
}

type Found = GrepUnionResult['result'];

function filesIn(found: Found): ReadonlySet<string> {
  if (found.case === 'content') return new Set(found.value.matches.map(({ file }) => file));
  if (found.case === 'count') return new Set(found.value.counts.map(({ file }) => file));
  return new Set(found.case === 'files' ? found.value.files : []);
}

/** The totals too: how often a word stands in a file is something about the file. */
function drop(found: Found, isDropped: (file: string) => boolean, files: number): void {
  if (files === 0) return;
  if (found.case === 'content') {
    const gone = found.value.matches.filter(({ file }) => isDropped(file)).flatMap(({ matches }) => matches);
    found.value.matches = found.value.matches.filter(({ file }) => !isDropped(file));
    found.value.totalLines -= gone.length;
    found.value.totalMatchedLines -= gone.filter((line) => !line.isContextLine).length;
  } else if (found.case === 'count') {
    const gone = found.value.counts.filter(({ file }) => isDropped(file));
    found.value.counts = found.value.counts.filter(({ file }) => !isDropped(file));
    found.value.totalMatches -= gone.reduce((sum, { count }) => sum + count, 0);
    found.value.totalFiles -= files;
  } else if (found.case === 'files') {
    found.value.files = found.value.files.filter((file) => !isDropped(file));
    found.value.totalFiles -= files;
  }
}

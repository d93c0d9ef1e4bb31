// Work inside one folder that cannot be swapped for another while it goes on. On Linux the folder is held open and
// every name is looked up through its handle, so that no link placed in the path afterwards is ever followed; other
// systems offer no such lookup to Node, there the real path is compared before.
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import path from 'node:path';
import { errnoOf, FileFault } from './file-fault.ts';

/** Gives the path by which to use a name of the folder. */
export type NameInFolder = (name: string) => string;

export async function withFolder<T>(realFolder: string, use: (at: NameInFolder) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') return withComparedFolder(realFolder, use);
  const folder = await open(realFolder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    const handlePath = `/proc/self/fd/${folder.fd}`;
    const opened = await readlink(handlePath).catch(() => undefined); // no /proc in some containers
    if (opened === undefined) return await withComparedFolder(realFolder, use);
    if (opened !== realFolder) throw moved(realFolder);
    return await use((name) => `${handlePath}/${name}`);
  } finally {
    await folder.close();
  }
}

async function withComparedFolder<T>(realFolder: string, use: (at: NameInFolder) => Promise<T>): Promise<T> {
  if ((await realpath(realFolder)) !== realFolder) throw moved(realFolder);
  return use((name) => path.join(realFolder, name));
}

/** Opens an ordinary file for reading by its real path; a link, pipe or device in its place is refused. */
export async function openFile(realPath: string): Promise<FileHandle> {
  const handle = await withFolder(path.dirname(realPath), (at) =>
    // Without O_NONBLOCK a named pipe would keep the call waiting for a writer.
    open(
      at(path.basename(realPath)),
      constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0),
    ).catch((error: unknown) => {
      throw named(error, realPath);
    }),
  );
  try {
    const found = await handle.stat();
    if (found.isDirectory())
      throw new FileFault('EISDIR', `${realPath} is a folder; list it, or name a file in it.`);
    if (!found.isFile()) throw new FileFault('EINVAL', `${realPath} is not an ordinary file.`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function moved(realFolder: string): FileFault {
  return new FileFault('DENIED', `The folder ${realFolder} was replaced while the call ran; try again.`);
}

/** The same error with the path people know. */
function named(error: unknown, realPath: string): unknown {
  if (errnoOf(error) !== undefined && error instanceof Error) Object.assign(error, { path: realPath });
  return error;
}

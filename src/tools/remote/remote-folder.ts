import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RequestContext } from '../../gen/agent/v1/request_context_pb.ts';
import { leadsOut } from '../workspace.ts';

const WINDOWS = /^(?:[A-Za-z]:[\\/]|\\\\)/;

/** The workspace on the client's machine: only names are known here, and they follow that machine's rules. */
export class RemoteFolder {
  /** Empty when the client did not say; then paths go to it as they are, and it resolves them itself. */
  readonly root: string;
  readonly #path: path.PlatformPath;

  constructor(root: string) {
    this.root = plainPath(root);
    this.#path = WINDOWS.test(this.root) ? path.win32 : path.posix;
  }

  static of(context: RequestContext | undefined, given?: string): RemoteFolder {
    const env = context?.env;
    return new RemoteFolder(given || env?.workspacePaths[0] || env?.processWorkingDirectory || '');
  }

  absolute(given: string): string {
    const plain = plainPath(given);
    if (this.#path.isAbsolute(plain)) return this.#path.normalize(plain);
    return this.root === '' ? plain : this.#path.join(this.root, plain);
  }

  /** For people and models: relative inside the workspace, absolute outside. */
  display(absolute: string): string {
    if (this.root === '') return absolute;
    const relative = this.#path.relative(this.root, this.absolute(absolute));
    if (relative === '') return '.';
    return this.#leadsOut(relative) ? absolute : relative;
  }

  #leadsOut(relative: string): boolean {
    // In the words of this machine, whose separator may be another.
    return leadsOut(relative.replaceAll(this.#path.sep, path.sep)) || this.#path.isAbsolute(relative);
  }

  join(folder: string, name: string): string {
    return this.#path.join(folder, name);
  }
}

/** Some clients name files by address. */
function plainPath(given: string): string {
  if (!/^file:\/\//i.test(given)) return given;
  try {
    return fileURLToPath(given, { windows: /^file:\/\/\/[A-Za-z]:/i.test(given) });
  } catch {
    return given;
  }
}

import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import path from 'node:path';
import { ShellFault } from './shell-fault.ts';

export interface Shell {
  readonly file: string;
  readonly isBash: boolean;
}

/** bash, else sh, from the usual places, then from absolute folders of PATH that `isTrusted` accepts. */
export function findShell(searchPath: string, isTrusted: (folder: string) => boolean): Shell {
  const listed = searchPath
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder) && isTrusted(folder));
  for (const name of ['bash', 'sh']) {
    for (const folder of ['/bin', '/usr/bin', ...listed]) {
      const file = path.join(folder, name);
      if (isExecutable(file)) return { file, isBash: name === 'bash' };
    }
  }
  throw new ShellFault('UNAVAILABLE', 'There is neither bash nor sh on this machine; install one of them.');
}

/**
 * Where the shell notes the folder it ended in. It is an open file without a name: the shell inherits it as descriptor
 * 3, inside a sandbox as well, and nobody else can find it.
 */
export class FolderNote {
  readonly descriptor: number;
  #isClosed = false;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** Undefined where no file can be made: the command runs all the same, and its last folder stays unknown. */
  static open(folder: string): FolderNote | undefined {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const file = path.join(folder, `.folder-${randomUUID()}`);
      const descriptor = openSync(file, 'wx+', 0o600);
      unlinkSync(file);
      return new FolderNote(descriptor);
    } catch {
      return undefined;
    }
  }

  /** The noted folder when there is one and it exists. */
  take(): string | undefined {
    if (this.#isClosed) return undefined;
    const bytes = Buffer.alloc(8192);
    const length = readSync(this.descriptor, bytes, 0, bytes.length, 0);
    this.close();
    const folder = bytes.toString('utf8', 0, length).replace(/\n$/, '');
    return path.isAbsolute(folder) && !folder.includes('\n') && isFolder(folder) ? folder : undefined;
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.descriptor);
    this.#isClosed = true;
  }
}

/**
 * The command with a trap before it that notes the last folder. All on the first line, so that the shell's own error
 * messages count lines as the command does. The descriptor moves out of the way of scripts that use 3 themselves;
 * plain sh knows no higher one than 9.
 */
export function noteFolder(command: string, shell: Shell): string {
  const descriptor = shell.isBash ? 198 : 9;
  return `exec ${descriptor}>&3 3>&-; trap 'pwd -P >&${descriptor}' EXIT; ${command}`;
}

/** One word of a shell command that stands for exactly this text. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isFolder(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
}

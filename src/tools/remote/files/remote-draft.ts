// There is no exec for an edit: files are read whole, changed here and written whole. A draft holds what a call reads and
// would write; nothing reaches the client before all of it is worked out, and what was written is put back when a later
// file fails.
import { isUtf8 } from 'node:buffer';
import { GatewayError, omitUndefined } from '../../../core/index.ts';
import { FileFault } from '../../builtin/files/file-fault.ts';
import { type DecodedText, decodeText } from '../../builtin/files/text-form.ts';
import { type FailureCode, fail, type ToolOutcome } from '../../tool-outcome.ts';
import { isClientGone } from '../client-gone.ts';
import { decodeExecResult } from '../exec/exec-codec.ts';
import { ForbiddenCall } from '../forbidden-call.ts';
import type { RemoteCall } from '../remote-tool.ts';
import { sendExec } from '../run-exec.ts';
import { wholeContent } from './read-file.ts';

export interface DraftFile {
  readonly path: string;
  /** For people and models. */
  readonly name: string;
  /** Undefined when there is no such file, or none that the client can send. */
  readonly before: Buffer | undefined;
  /** There is a file, but the client cannot send it. */
  readonly isUnreadable: boolean;
  /** Undefined deletes it. */
  now: Buffer | undefined;
  /** The client gave bytes and takes bytes; else it deals in UTF-8 text. */
  readonly isBytes: boolean;
}

/** Content that cannot be shown as text, or not whole: not a refusal, and not a sign that nothing may be written. */
const UNREADABLE: ReadonlySet<FailureCode> = new Set(['EINVAL', 'BINARY', 'EFBIG']);
/** Asking for the saved text doubles the traffic; it is worth it for files that people format on saving. */
const MAX_ECHO_BYTES = 256 * 1024;

export class RemoteDraft {
  readonly #call: RemoteCall;
  readonly #files = new Map<string, DraftFile>();

  constructor(call: RemoteCall) {
    this.#call = call;
  }

  /** What differs from what was read; a file that could not be read counts as changed when it is written. */
  get changes(): readonly DraftFile[] {
    return [...this.#files.values()].filter(({ before, now }) =>
      now === undefined ? before !== undefined : !before?.equals(now),
    );
  }

  /** `isOverwritten`: what was there does not matter, so that it cannot be read is no fault. */
  async open(given: string, { isOverwritten = false } = {}): Promise<DraftFile> {
    const { folder } = this.#call.session;
    const path = folder.absolute(given);
    const held = this.#files.get(path);
    if (held) return held;
    const message = await sendExec(this.#call, 'read', { path });
    const name = folder.display(path);
    const read = isMissing(message) ? undefined : contentOf(message, path, name);
    const isUnreadable = read instanceof FileFault;
    if (isUnreadable && !(isOverwritten && UNREADABLE.has(read.code))) throw read;
    const before = isUnreadable ? undefined : read;
    const isBytes =
      message.case === 'readResult' &&
      message.value.result.case === 'success' &&
      message.value.result.value.output.case === 'data';
    const file: DraftFile = { path, name, before, isUnreadable, now: before, isBytes };
    this.#files.set(path, file);
    if (before !== undefined && this.#call.session.isStale(path, before))
      throw new FileFault(
        'STALE_READ',
        `${name} has changed on disk since it was last read here. Read it again, then repeat the change on the new content.`,
      );
    return file;
  }

  /** Writes every change, or none that lasts. Gives notes on what the client did otherwise. */
  async commit(): Promise<readonly string[]> {
    const { session, tool, mode } = this.#call;
    const touches = this.changes.map(({ path, now }) => {
      const access = now === undefined ? ('delete' as const) : ('write' as const);
      return { type: 'path' as const, path, access };
    });
    // All of them before the first one is written, so that nothing has to be put back.
    if (touches.length > 0) await session.judge({ tool, touches, mode });
    const done: DraftFile[] = [];
    const notes: string[] = [];
    for (const file of this.changes) {
      const outcome = await this.#put(file, file.now).catch((error) => this.#thrown(error));
      if (!outcome.ok) {
        const left = await this.#putBack(done);
        throw new FileFault(outcome.error.code, [outcome.error.message, ...left].join(' '), outcome.data);
      }
      done.push(file);
      notes.push(...this.#settle(file, savedText(outcome)));
    }
    return notes;
  }

  /** A client that throws has refused this file alone; one that is gone can put nothing back. */
  #thrown(error: unknown): ToolOutcome {
    if (error instanceof ForbiddenCall) return fail('DENIED', error.message);
    const isOver = this.#call.signal.aborted || !(error instanceof GatewayError) || isClientGone(error);
    if (isOver) throw error;
    return fail('FAILED', `The client could not write: ${error.message}.`);
  }

  #settle(file: DraftFile, saved: string | undefined): string[] {
    const { session } = this.#call;
    if (file.now === undefined) {
      session.forget(file.path);
      return [];
    }
    const isOther = saved !== undefined && !file.isBytes && saved !== file.now.toString('utf8');
    if (isOther) file.now = Buffer.from(saved, 'utf8');
    session.remember(file.path, file.now);
    return isOther
      ? [`The client changed ${file.name} when it saved it; the diff shows the saved text.`]
      : [];
  }

  async #put(file: DraftFile, bytes: Buffer | undefined): Promise<ToolOutcome> {
    const { path } = file;
    if (bytes === undefined) {
      const message = await sendExec(this.#call, 'delete', { path });
      return decodeExecResult('delete', message, { path });
    }
    const isText = !file.isBytes && isUtf8(bytes);
    const args = omitUndefined({
      path,
      contents: isText ? bytes.toString('utf8') : undefined,
      contents_base64: isText ? undefined : bytes.toString('base64'),
      return_file_content_after_write: isText && bytes.length <= MAX_ECHO_BYTES ? true : undefined,
    });
    const message = await sendExec(this.#call, 'write', args);
    return decodeExecResult('write', message, args);
  }

  async #putBack(done: readonly DraftFile[]): Promise<string[]> {
    const failed: string[] = [];
    for (const file of [...done].reverse()) {
      const outcome = file.isUnreadable
        ? undefined
        : await this.#put(file, file.before).catch(() => undefined);
      if (!outcome?.ok) failed.push(file.name);
      else if (file.before === undefined) this.#call.session.forget(file.path);
      else this.#call.session.remember(file.path, file.before);
    }
    if (failed.length > 0)
      return [`Already changed, and not put back: ${failed.join(', ')}. Read them before going on.`];
    return done.length === 0 ? [] : ['The other files of this call were put back as they were.'];
  }
}

export function textOf(file: DraftFile): DecodedText {
  if (file.now === undefined)
    throw new FileFault('ENOENT', `${file.name} does not exist. Check the path, or search for it by name.`);
  const decoded = decodeText(file.now);
  if (decoded === undefined)
    throw new FileFault(
      'BINARY',
      `${file.name} is binary and cannot be edited as text. Use a shell command.`,
    );
  return decoded;
}

type Message = Awaited<ReturnType<typeof sendExec>>;

function isMissing(message: Message): boolean {
  return message.case === 'readResult' && message.value.result.case === 'fileNotFound';
}

function contentOf(message: Message, path: string, name: string): Buffer | FileFault {
  const bytes = wholeContent(message);
  if (bytes === undefined) {
    const outcome = decodeExecResult('read', message, { path });
    if (!outcome.ok) return new FileFault(outcome.error.code, outcome.error.message);
    return new FileFault('EFBIG', `The client sends only a part of ${name}; edit it with a shell command.`);
  }
  if (message.case === 'readResult' && message.value.result.case === 'success') {
    const { output, fileSize } = message.value.result.value;
    // Text with replacement characters whose size is not the file's: the client could not decode it, and writing it
    // back would destroy what it stood for.
    const isLossy =
      output.case === 'content' && output.value.includes('\ufffd') && fileSize !== BigInt(bytes.length);
    if (isLossy)
      return new FileFault(
        'BINARY',
        `${name} is not UTF-8, and the client cannot send it exactly. Use a shell command.`,
      );
  }
  return bytes;
}

function savedText(outcome: ToolOutcome): string | undefined {
  const files = outcome.data?.files;
  const [file] = Array.isArray(files) ? files : [];
  const text =
    typeof file === 'object' && file !== null && !Array.isArray(file) ? file.contents_after_edit : undefined;
  return typeof text === 'string' ? text : undefined;
}

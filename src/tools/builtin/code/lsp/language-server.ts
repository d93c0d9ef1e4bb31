// A client of the Language Server Protocol 3.17 over stdio, as much of it as definitions and diagnostics need: initialize,
// document sync (whole texts), watched-file changes, definition, pulled and pushed diagnostics, shutdown.
import { type ChildProcess, spawn } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import {
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-jsonrpc/node';
import { endProcessGroup } from '../run-program.ts';
import type { ServerSpec } from './server-spec.ts';

const START_LIMIT_MS = 15_000;
const STOP_LIMIT_MS = 1_000;
/** Documents kept open; the oldest is closed for a new one. */
const MAX_OPEN_DOCUMENTS = 200;

export interface ServerOptions {
  readonly spec: ServerSpec;
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

interface OpenDocument {
  version: number;
  text: string;
}

export class LanguageServer {
  readonly #options: ServerOptions;
  readonly #child: ChildProcess;
  readonly #connection: MessageConnection;
  readonly #documents = new Map<string, OpenDocument>();
  readonly #pushed = new Map<string, unknown[]>();
  readonly #closed: Promise<void>;
  #isClosed = false;
  #capabilities: Readonly<Record<string, unknown>> = {};

  private constructor(options: ServerOptions) {
    this.#options = options;
    const child = spawn(options.spec.command, options.spec.args, {
      cwd: options.root,
      env: options.env,
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    this.#child = child;
    child.stdin.on('error', () => undefined);
    this.#connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    );
    this.#closed = new Promise((resolve) => {
      const onEnd = () => {
        this.#isClosed = true;
        this.#connection.dispose();
        resolve();
      };
      child.once('error', onEnd);
      child.once('close', onEnd);
    });
    this.#answerServer();
    this.#connection.listen();
  }

  /** Rejects when the program does not start or does not speak the protocol in time; it is gone then. */
  static async start(options: ServerOptions): Promise<LanguageServer> {
    const server = new LanguageServer(options);
    try {
      await server.#initialize();
      return server;
    } catch (error) {
      await server.dispose();
      throw error;
    }
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The server sees a file as `text` from now on. */
  openDocument(uri: string, languageId: string, text: string): void {
    const known = this.#documents.get(uri);
    if (known?.text === text) return;
    if (known) {
      known.version++;
      known.text = text;
      this.#notify('textDocument/didChange', {
        textDocument: { uri, version: known.version },
        contentChanges: [{ text }],
      });
      return;
    }
    const oldest =
      this.#documents.size >= MAX_OPEN_DOCUMENTS ? this.#documents.keys().next().value : undefined;
    if (oldest !== undefined) {
      this.#documents.delete(oldest);
      this.#pushed.delete(oldest);
      this.#notify('textDocument/didClose', { textDocument: { uri: oldest } });
    }
    this.#documents.set(uri, { version: 1, text });
    this.#notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  }

  /** Types: 1 created, 2 changed, 3 deleted. */
  reportChanges(changes: readonly { uri: string; type: 1 | 2 | 3 }[]): void {
    if (changes.length > 0) this.#notify('workspace/didChangeWatchedFiles', { changes });
  }

  get pullsDiagnostics(): boolean {
    return this.#capabilities.diagnosticProvider !== undefined;
  }

  /** Diagnostics that the server sent by itself. */
  pushedDiagnostics(uri: string): readonly unknown[] | undefined {
    return this.#pushed.get(uri);
  }

  async request(method: string, params: object, signal: AbortSignal, timeLimitMs: number): Promise<unknown> {
    if (this.#isClosed) throw new Error(`The language server ${this.#options.spec.id} has ended.`);
    const cancel = new CancellationTokenSource();
    const onAbort = () => cancel.cancel();
    signal.addEventListener('abort', onAbort, { once: true });
    const limit = rejectAfter(
      timeLimitMs,
      `The language server ${this.#options.spec.id} did not answer ${method} in ${timeLimitMs} ms.`,
    );
    const ended = this.#closed.then(() => {
      throw new Error(`The language server ${this.#options.spec.id} ended during ${method}.`);
    });
    try {
      return await Promise.race([
        this.#connection.sendRequest(method, params, cancel.token),
        limit.promise,
        ended,
      ]);
    } finally {
      limit.clear();
      cancel.cancel();
      cancel.dispose();
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Asks politely, then ends the process and everything it started. */
  async dispose(): Promise<void> {
    if (!this.#isClosed) {
      const limit = rejectAfter(STOP_LIMIT_MS, 'no answer to shutdown');
      const goodbye = this.#connection.sendRequest('shutdown').then(() => this.#notify('exit', undefined));
      await Promise.race([goodbye, limit.promise, this.#closed]).catch(() => undefined);
      limit.clear();
    }
    endProcessGroup(this.#child.pid, () => this.#child.kill('SIGKILL'));
    await this.#closed;
  }

  async #initialize(): Promise<void> {
    const { root } = this.#options;
    const uri = pathToFileURL(root).href;
    const result = await this.request(
      'initialize',
      {
        processId: process.pid,
        clientInfo: { name: 'crosspoint' },
        rootUri: uri,
        workspaceFolders: [{ uri, name: 'workspace' }],
        capabilities: {
          general: { positionEncodings: ['utf-16'] },
          workspace: { configuration: true, workspaceFolders: true },
          textDocument: {
            definition: { linkSupport: false },
            diagnostic: {},
            publishDiagnostics: {},
            synchronization: {},
          },
        },
      },
      new AbortController().signal,
      START_LIMIT_MS,
    );
    this.#capabilities = Object(Object(result).capabilities);
    this.#notify('initialized', {});
  }

  /** A server may ask for settings; it gets none, so that its defaults and the project's files decide. */
  #answerServer(): void {
    this.#connection.onRequest('workspace/configuration', (params: unknown) => {
      const items: unknown = Object(params).items;
      return Array.isArray(items) ? items.map(() => null) : [];
    });
    this.#connection.onRequest(() => null);
    this.#connection.onNotification('textDocument/publishDiagnostics', (params: unknown) => {
      const { uri, diagnostics } = Object(params);
      if (typeof uri === 'string' && Array.isArray(diagnostics) && this.#documents.has(uri)) {
        this.#pushed.set(uri, diagnostics);
      }
    });
    this.#connection.onError(() => undefined);
  }

  #notify(method: string, params: object | undefined): void {
    if (this.#isClosed) return;
    // A server that dies meanwhile is noticed by the next request.
    this.#connection.sendNotification(method, params).catch(() => undefined);
  }
}

function rejectAfter(timeLimitMs: number, message: string): { promise: Promise<never>; clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message)), timeLimitMs);
  });
  promise.catch(() => undefined);
  return { promise, clear: () => clearTimeout(timer) };
}

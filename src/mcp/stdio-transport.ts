// MCP over the standard streams of a program: one JSON-RPC message a line (specification 2025-11-25, "stdio").
// Unlike the SDK's own transport it starts the program as leader of a process group, because `npx` and `uvx` start the
// real server as a child: closing ends the whole group, and nothing is left behind.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import {
  type JSONRPCMessage,
  ReadBuffer,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { OutputTail } from './output-tail.ts';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** How long a server may take after its input has ended, and again after it was asked to terminate. */
  readonly graceMs: number;
}

export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: JSONRPCMessage) => void) | undefined;
  readonly #options: StdioOptions;
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  readonly #stderr = new OutputTail();
  #child: ChildProcessWithoutNullStreams | undefined;
  #exit: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** How the program ended, if it has, and the last it said on stderr. */
  get report(): { readonly exit?: string; readonly stderr: string } {
    const stderr = this.#stderr.lines();
    return this.#exit === undefined ? { stderr } : { exit: this.#exit, stderr };
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#options;
    const child = spawn(command, args, { cwd, env, stdio: 'pipe', detached: true });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    const decoder = new StringDecoder('utf8');
    child.stderr.on('data', (chunk: Buffer) => this.#stderr.add(decoder.write(chunk)));
    // A server that dies while we write: its exit tells the story, the broken pipe does not.
    child.stdin.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      this.#exit = signal === null ? `exit code ${code}` : `signal ${signal}`;
      // Its children may hold the pipes open for ever; without their leader they serve nobody.
      this.#signalGroup('SIGTERM');
      void this.close();
    });
    child.once('close', () => this.onclose?.());
    return new Promise((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) return Promise.reject(new Error('The server has ended.'));
    return new Promise((resolve, reject) => {
      stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Asks politely, then firmly, then ends it; returns when the whole group is gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    if (!(await this.#isGroupGoneWithin(this.#options.graceMs))) {
      this.#signalGroup('SIGTERM');
      if (!(await this.#isGroupGoneWithin(this.#options.graceMs))) this.#signalGroup('SIGKILL');
    }
    // A process that left the group may still hold the pipes; we do not wait for it.
    child.stdout.destroy();
    child.stderr.destroy();
    this.#buffer.clear();
  }

  async #isGroupGoneWithin(limitMs: number): Promise<boolean> {
    const pauseMs = 10;
    for (let waitedMs = 0; waitedMs < limitMs; waitedMs += pauseMs) {
      if (!this.#signalGroup(0)) return true;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return !this.#signalGroup(0);
  }

  /** False when there is nobody left to receive it. */
  #signalGroup(signal: NodeJS.Signals | 0): boolean {
    const pid = this.#child?.pid;
    if (pid === undefined) return false;
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message: servers that print to stdout are common, and the next line may be one.
        this.onerror?.(error instanceof Error ? error : new Error(String(error)));
      }
    }
  }
}

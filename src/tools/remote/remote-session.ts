import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallContext } from '../../core/index.ts';
import type { RemotePort, RunState } from '../../native/remote-port.ts';
import type { FeatureGates } from '../modes.ts';
import { ForbiddenCall } from './forbidden-call.ts';
import { McpCatalogue } from './mcp/mcp-catalogue.ts';
import { RemoteFolder } from './remote-folder.ts';
import type { JudgedCall, RemoteToolsOptions } from './remote-options.ts';

/** A command that goes on at the client after its call has ended. */
export interface BackgroundShell {
  readonly id: number;
  readonly command: string;
  readonly pid?: number;
  readonly startedAtMs: number;
  /** Characters of its output that the model has read. */
  readPosition: number;
}

/** What one run keeps: a sub-agent has a list and a place of its own. */
export interface RunMemory {
  readonly state: RemotePort['state'];
  /** Where the last `cd` led. */
  shellFolder: string;
}

const MAX_SIGHTINGS = 10_000;
const MAX_RUNS = 200;

/** What is remembered from one call to the next, for the length of one run. */
export class RemoteSession {
  readonly port: RemotePort;
  readonly options: RemoteToolsOptions;
  readonly folder: RemoteFolder;
  readonly mcp: McpCatalogue;
  readonly shells = new Map<number, BackgroundShell>();
  /** Execs that the client has thrown out once; it is not asked for them again. */
  readonly unknownExecs = new Set<string>();
  readonly #sightings = new Map<string, string>();
  readonly #root: RunMemory;
  readonly #below = new Map<string, RunMemory>();

  constructor(port: RemotePort, options: RemoteToolsOptions) {
    this.port = port;
    this.options = options;
    this.folder = RemoteFolder.of(port.requestContext, options.workspace);
    this.mcp = McpCatalogue.of(port);
    this.#root = { state: port.state, shellFolder: this.folder.root };
  }

  /** What belongs to the run that makes a call. Only the one that the user started has a state that travels. */
  memoryOf({ subRunId }: Pick<CallContext, 'subRunId'>): RunMemory {
    if (subRunId === undefined) return this.#root;
    const known = this.#below.get(subRunId);
    if (known) return known;
    let state: RunState = { todos: [] };
    const made: RunMemory = {
      state: {
        get: () => state,
        set: (next) => {
          state = next;
        },
      },
      shellFolder: this.folder.root,
    };
    this.#below.set(subRunId, made);
    const [oldest] = this.#below.keys();
    if (this.#below.size > MAX_RUNS && oldest !== undefined) this.#below.delete(oldest);
    return made;
  }

  get gates(): FeatureGates {
    return this.options.gates ?? {};
  }

  /** Throws when the call is forbidden. */
  async judge(call: Omit<JudgedCall, 'folders'>): Promise<void> {
    const reason = await this.#whyForbidden(call);
    if (reason !== undefined) throw new ForbiddenCall(reason);
  }

  async isForbidden(call: Omit<JudgedCall, 'folders'>): Promise<boolean> {
    return (await this.#whyForbidden(call)) !== undefined;
  }

  async #whyForbidden(call: Omit<JudgedCall, 'folders'>): Promise<string | undefined> {
    if (!this.options.forbids) return undefined;
    const { env } = this.port.requestContext ?? {};
    const folders = [...new Set([this.folder.root, ...(env?.workspacePaths ?? [])])].filter(
      (folder) => folder !== '',
    );
    return this.options.forbids({ ...call, folders });
  }

  nowMs(): number {
    return (this.options.nowMs ?? Date.now)();
  }

  wait(ms: number, signal: AbortSignal): Promise<void> {
    return this.options.wait?.(ms, signal) ?? sleep(ms, undefined, { signal }).catch(() => undefined);
  }

  /** The whole content of a file as the model was shown it, or as an edit of the model left it. */
  remember(path: string, bytes: Buffer): void {
    this.#sightings.delete(path);
    this.#sightings.set(path, hashOf(bytes));
    const [oldest] = this.#sightings.keys();
    if (this.#sightings.size > MAX_SIGHTINGS && oldest !== undefined) this.#sightings.delete(oldest);
  }

  forget(path: string): void {
    this.#sightings.delete(path);
  }

  /** A file that was never seen is not stale. */
  isStale(path: string, bytes: Buffer): boolean {
    const seen = this.#sightings.get(path);
    return seen !== undefined && seen !== hashOf(bytes);
  }
}

function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RemotePort } from '../../native/remote-port.ts';
import type { FeatureGates } from '../modes.ts';
import { McpCatalogue } from './mcp/mcp-catalogue.ts';
import { RemoteFolder } from './remote-folder.ts';
import type { RemoteToolsOptions } from './remote-options.ts';

/** A command that goes on at the client after its call has ended. */
export interface BackgroundShell {
  readonly id: number;
  readonly command: string;
  readonly pid?: number;
  readonly startedAtMs: number;
  /** Characters of its output that the model has read. */
  readPosition: number;
}

const MAX_SIGHTINGS = 10_000;

/** What is remembered from one call to the next, for the length of one run. */
export class RemoteSession {
  readonly port: RemotePort;
  readonly options: RemoteToolsOptions;
  readonly folder: RemoteFolder;
  readonly mcp: McpCatalogue;
  readonly shells = new Map<number, BackgroundShell>();
  /** Where the last `cd` led. */
  shellFolder: string;
  /** Execs that the client has thrown out once; it is not asked for them again. */
  readonly unknownExecs = new Set<string>();
  /** By id of the to-do; the state that travels has no place for them. */
  readonly todoDependencies = new Map<string, readonly string[]>();
  readonly #sightings = new Map<string, string>();

  constructor(port: RemotePort, options: RemoteToolsOptions) {
    this.port = port;
    this.options = options;
    this.folder = RemoteFolder.of(port.requestContext, options.workspace);
    this.mcp = McpCatalogue.of(port);
    this.shellFolder = this.folder.root;
  }

  get gates(): FeatureGates {
    return this.options.gates ?? {};
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

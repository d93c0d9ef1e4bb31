import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { defineResource } from '../../../resources.ts';
import type { ToolContext } from '../../../tool-context.ts';
import { absoluteOf, listFiles } from '../../search/list-files.ts';
import type { SearchRoot } from '../../search/search-root.ts';
import { LanguageServer } from './language-server.ts';
import type { ServerSpec } from './server-spec.ts';

export const IDLE_LIMIT_MS = 5 * 60_000;
/** Beyond this many files changes outside of open documents are not followed. */
const MAX_WATCHED_FILES = 20_000;
const STAT_BATCH = 64;

interface Running {
  readonly server: Promise<LanguageServer>;
  /** Times of the project's files when the server was last told of them. */
  times: Map<string, number> | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** One server per program and workspace, started on first use, ended when nobody has asked for a while. */
export class LanguageServers {
  readonly #running = new Map<string, Running>();
  readonly #ending = new Set<Promise<void>>();
  readonly #idleLimitMs: number;

  constructor(idleLimitMs = IDLE_LIMIT_MS) {
    this.#idleLimitMs = idleLimitMs;
  }

  get count(): number {
    return this.#running.size;
  }

  /** Up to date with the files on disk. Rejects when the server cannot be started. */
  async get(spec: ServerSpec, root: SearchRoot, context: ToolContext): Promise<LanguageServer> {
    const key = `${spec.command}\0${root.workspaceRoot}`;
    let running = this.#running.get(key);
    if (running && (await running.server).isClosed) running = undefined;
    if (!running) {
      running = this.#start(key, spec, root, context);
    }
    this.#restartTimer(key, running);
    const server = await running.server;
    await this.#reportChanges(running, server, spec, root, context);
    return server;
  }

  async dispose(): Promise<void> {
    for (const key of [...this.#running.keys()]) this.#end(key);
    await Promise.all(this.#ending);
  }

  #start(key: string, spec: ServerSpec, root: SearchRoot, context: ToolContext): Running {
    const server = LanguageServer.start({ spec, root: root.workspaceRoot, env: context.env });
    const running: Running = { server, times: undefined, timer: undefined };
    this.#running.set(key, running);
    server.catch(() => this.#end(key));
    return running;
  }

  #restartTimer(key: string, running: Running): void {
    clearTimeout(running.timer);
    running.timer = setTimeout(() => this.#end(key), this.#idleLimitMs);
    running.timer.unref();
  }

  #end(key: string): void {
    const running = this.#running.get(key);
    if (!running) return;
    this.#running.delete(key);
    clearTimeout(running.timer);
    const ending = running.server.then((server) => server.dispose()).catch(() => undefined);
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending));
  }

  /** Servers here do not watch files, so each one hears what has changed since it was last asked. */
  async #reportChanges(
    running: Running,
    server: LanguageServer,
    spec: ServerSpec,
    root: SearchRoot,
    context: ToolContext,
  ): Promise<void> {
    const times = await fileTimes(spec, root, context);
    const before = running.times;
    running.times = times;
    if (!before) return;
    const changes: { uri: string; type: 1 | 2 | 3 }[] = [];
    const uriOf = (file: string) => pathToFileURL(absoluteOf(root, file)).href;
    for (const [file, time] of times) {
      const known = before.get(file);
      if (known !== time) changes.push({ uri: uriOf(file), type: known === undefined ? 1 : 2 });
    }
    for (const file of before.keys()) if (!times.has(file)) changes.push({ uri: uriOf(file), type: 3 });
    server.reportChanges(changes);
  }
}

export const languageServers = defineResource<LanguageServers>({
  name: 'languageServers',
  create: () => new LanguageServers(),
  dispose: (value) => value.dispose(),
});

async function fileTimes(
  spec: ServerSpec,
  root: SearchRoot,
  context: ToolContext,
): Promise<Map<string, number>> {
  const files: string[] = [];
  const workspace = { ...root, path: root.workspaceRoot, argument: './' };
  const args = ['--type-add', `wanted:${spec.fileGlob}`, '--type', 'wanted'];
  await listFiles(workspace, context, { args }, (file) => files.push(file) < MAX_WATCHED_FILES);
  const times = new Map<string, number>();
  for (let start = 0; start < files.length; start += STAT_BATCH) {
    const batch = files.slice(start, start + STAT_BATCH);
    const stats = await Promise.all(batch.map((file) => stat(absoluteOf(root, file)).catch(() => undefined)));
    for (const [index, file] of batch.entries()) {
      const found = stats[index];
      if (found) times.set(file, found.mtimeMs);
    }
  }
  return times;
}

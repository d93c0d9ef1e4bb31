// Servers that a workspace file defines are programs that somebody else may choose. Trusting a workspace agrees to the
// servers its files name at that moment; one that is added or altered later (a pull, another agent's edit) is withheld
// until the user agrees to it as it is then.
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';
import type { McpChange } from '../tools/mcp-port.ts';
import type { KeyedStore } from './keyed-store.ts';
import { describeDefinition, type ServerDefinition, sha256 } from './server-definition.ts';
import { diffOf } from './tool-pins.ts';

export class DefinitionPins {
  readonly #store: KeyedStore;

  constructor(store: KeyedStore) {
    this.#store = store;
  }

  /** The servers of workspace files that may not be used yet, by name, with what is new about them. */
  async withheld(definitions: readonly ServerDefinition[]): Promise<ReadonlyMap<string, McpChange>> {
    const changes = new Map<string, McpChange>();
    const ofWorkspace = definitions.filter(({ isFromWorkspace }) => isFromWorkspace);
    for (const file of new Set(ofWorkspace.map(({ origin }) => origin))) {
      const servers = ofWorkspace.filter(({ origin }) => origin === file);
      const agreed = readAgreed(await this.#store.get(keyOf(file)));
      for (const server of servers) {
        const now = describeDefinition(server);
        const before = agreed && Object.hasOwn(agreed, server.name) ? agreed[server.name] : undefined;
        if (before === now) continue;
        const diff = diffOf(`${server.name} in ${file}`, typeof before === 'string' ? before : '', now);
        changes.set(server.name, { fingerprint: sha256(now), diff });
      }
    }
    return changes;
  }

  /** What the user does by trusting a workspace: each of its files as it is now. */
  async agreeToAll(definitions: readonly ServerDefinition[]): Promise<void> {
    for (const file of new Set(definitions.map(({ origin }) => origin))) {
      const servers = definitions.filter(({ origin }) => origin === file);
      await this.#store.set(
        keyOf(file),
        Object.fromEntries(servers.map((one) => [one.name, describeDefinition(one)])),
      );
    }
  }

  async agree(definition: ServerDefinition): Promise<void> {
    const agreed = readAgreed(await this.#store.get(keyOf(definition.origin))) ?? {};
    await this.#store.set(keyOf(definition.origin), {
      ...agreed,
      [definition.name]: describeDefinition(definition),
    });
  }
}

function keyOf(file: string): string {
  return JSON.stringify(['definitions', file]);
}

function readAgreed(value: JsonValue | undefined): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

import { omitUndefined } from '../core/index.ts';
import { type McpChange, type McpProblem, type McpServerInfo, noSuchServer } from '../tools/mcp-port.ts';
import type { ToolFailure } from '../tools/tool-outcome.ts';
import type { DefinitionPins } from './definition-pins.ts';
import type { McpConnection } from './mcp-connection.ts';
import { McpFault, toFailure } from './mcp-fault.ts';
import { transportOf } from './server-definition.ts';
import { foldName } from './tool-names.ts';

export interface Answers<T> {
  readonly answers: readonly T[];
  /** Of servers that could not answer; the others still did. */
  readonly problems: readonly McpProblem[];
}

/** The connections of a hub by name, and which of them may be used. */
export class ServerSet {
  readonly #connections: ReadonlyMap<string, McpConnection>;
  readonly #pins: DefinitionPins;
  readonly #withheld: Map<string, McpChange>;

  constructor(
    connections: ReadonlyMap<string, McpConnection>,
    pins: DefinitionPins,
    withheld: ReadonlyMap<string, McpChange>,
  ) {
    this.#connections = connections;
    this.#pins = pins;
    this.#withheld = new Map(withheld);
  }

  get names(): readonly string[] {
    return [...this.#connections.keys()];
  }

  /** By its name, or the only one that differs from it in case and punctuation alone. */
  find(name: string): McpConnection | undefined {
    const exact = this.#connections.get(name);
    if (exact) return exact;
    const folded = foldName(name);
    const alike = [...this.#connections.values()].filter(
      ({ definition }) => folded !== '' && foldName(definition.name) === folded,
    );
    return alike.length === 1 ? alike[0] : undefined;
  }

  /** The connection to use, or why there is none. */
  pick(name: string): McpConnection | ToolFailure {
    const connection = this.find(name);
    if (!connection) return noSuchServer(name, this.names);
    const { name: server, origin } = connection.definition;
    if (!this.#withheld.has(server)) return connection;
    return new McpFault(
      'DENIED',
      `The MCP server ${server} in ${origin} was added or changed after the workspace was trusted; the user has to agree to it first.`,
    ).toFailure();
  }

  describeAll(): readonly McpServerInfo[] {
    return [...this.#connections.values()].map((connection) => this.describe(connection));
  }

  describe(connection: McpConnection): McpServerInfo {
    const { definition, state, auth, isPlaywright, instructions, problem } = connection;
    const change = this.#withheld.get(definition.name);
    return omitUndefined({
      name: definition.name,
      origin: definition.origin,
      transport: transportOf(definition.config),
      state: change && state !== 'disabled' ? ('withheld' as const) : state,
      auth,
      isPlaywright,
      instructions,
      problem,
      change,
    });
  }

  /** Asks one server, or all that are not disabled, at the same time. */
  async ask<T>(
    server: string | undefined,
    ask: (connection: McpConnection) => Promise<readonly T[]>,
  ): Promise<Answers<T>> {
    const isWanted = (name: string) => this.#connections.get(name)?.state !== 'disabled';
    const names = server === undefined ? this.names.filter(isWanted) : [server];
    const lists = await Promise.all(names.map((name) => this.#askOne(name, ask)));
    return {
      answers: lists.flatMap(({ answers }) => answers),
      problems: lists.flatMap(({ problems }) => problems),
    };
  }

  async #askOne<T>(
    name: string,
    ask: (connection: McpConnection) => Promise<readonly T[]>,
  ): Promise<Answers<T>> {
    const connection = this.pick(name);
    const refused = (failure: ToolFailure) => ({
      answers: [],
      problems: [{ server: name, message: failure.error.message }],
    });
    if ('ok' in connection) return refused(connection);
    try {
      return { answers: await ask(connection), problems: [] };
    } catch (error) {
      return refused(toFailure(error));
    }
  }

  /** Consent to a withheld definition exactly as it was shown. */
  async agree(server: string, fingerprint: string): Promise<boolean> {
    const connection = this.find(server);
    const name = connection?.definition.name;
    if (!connection || name === undefined || this.#withheld.get(name)?.fingerprint !== fingerprint)
      return false;
    await this.#pins.agree(connection.definition);
    this.#withheld.delete(name);
    return true;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }
}

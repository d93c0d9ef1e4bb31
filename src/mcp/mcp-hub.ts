// All MCP servers of a runtime behind one port: names resolved, consent kept, arguments checked, answers decoded.
import { setTimeout as delay } from 'node:timers/promises';
import { omitUndefined } from '../core/index.ts';
import type { McpCall, McpChange, McpPort, McpServerInfo, McpTool } from '../tools/mcp-port.ts';
import { fail, succeed, type ToolFailure, type ToolOutcome } from '../tools/tool-outcome.ts';
import { ArgumentChecker } from './argument-checker.ts';
import { decodePrompts, decodeResources } from './decode-lists.ts';
import { decodeContent, decodeResult } from './decode-result.ts';
import { DefinitionPins } from './definition-pins.ts';
import type { Elicit } from './elicitation.ts';
import type { KeyedStore } from './keyed-store.ts';
import { type ConnectionServices, McpConnection } from './mcp-connection.ts';
import { toFailure } from './mcp-fault.ts';
import type { ServerDefinition } from './server-definition.ts';
import { ServerSet } from './server-set.ts';
import { showText } from './show-text.ts';
import type { SignInPort } from './sign-in.ts';
import { ToolPins } from './tool-pins.ts';
import { ToolShelf } from './tool-shelf.ts';

export interface McpHubOptions {
  /** Of two with one name the first counts. */
  readonly definitions: readonly ServerDefinition[];
  /** What was agreed to. */
  readonly pins: KeyedStore;
  /** Secrets: to be kept as carefully as passwords. */
  readonly tokens: KeyedStore;
  /** The environment of started programs, beside what their definitions say: PATH and HOME. */
  readonly baseEnv: Readonly<Record<string, string>>;
  /** Where programs are started unless their definition says otherwise. */
  readonly cwd: string;
  /** Folders that servers are told of when they ask. */
  readonly roots?: readonly string[];
  readonly version?: string;
  /** Without it servers are told that nobody can be asked. */
  readonly elicit?: Elicit;
  /** Without it nobody can sign in. */
  readonly signIn?: SignInPort;
  readonly nowMs?: () => number;
  readonly wait?: ConnectionServices['wait'];
  /** How long a program may take to end by itself. */
  readonly graceMs?: number;
}

/** Starts nothing: servers are connected when they are first needed. */
export async function openMcpHub(options: McpHubOptions): Promise<McpHub> {
  const pins = new DefinitionPins(options.pins);
  return new McpHub(options, pins, await pins.withheld(options.definitions));
}

export class McpHub implements McpPort {
  readonly #checker = new ArgumentChecker();
  readonly #servers: ServerSet;
  readonly #shelf: ToolShelf;
  readonly #signInPort: SignInPort | undefined;

  constructor(options: McpHubOptions, pins: DefinitionPins, withheld: ReadonlyMap<string, McpChange>) {
    const services: ConnectionServices = {
      baseEnv: options.baseEnv,
      cwd: options.cwd,
      roots: options.roots ?? [],
      version: options.version ?? '0',
      graceMs: options.graceMs ?? 2_000,
      checker: this.#checker,
      tokens: options.tokens,
      elicit: options.elicit,
      nowMs: options.nowMs ?? (() => performance.now()),
      wait: options.wait ?? ((ms, signal) => delay(ms, undefined, { signal })),
    };
    const connections = new Map<string, McpConnection>();
    for (const definition of options.definitions)
      if (!connections.has(definition.name))
        connections.set(definition.name, new McpConnection(definition, services));
    this.#servers = new ServerSet(connections, pins, withheld);
    this.#shelf = new ToolShelf(this.#servers, new ToolPins(options.pins));
    this.#signInPort = options.signIn;
  }

  servers(): readonly McpServerInfo[] {
    return this.#servers.describeAll();
  }

  findServer(name: string): McpServerInfo | undefined {
    const connection = this.#servers.find(name);
    return connection && this.#servers.describe(connection);
  }

  async tools(signal: AbortSignal, server?: string) {
    const { answers, problems } = await this.#servers.ask(server, (connection) =>
      this.#shelf.list(connection, signal, 'fail'),
    );
    return {
      tools: answers.filter(({ consent }) => consent !== 'changed'),
      withheld: answers.filter(({ consent }) => consent === 'changed'),
      problems,
    };
  }

  known(): readonly McpTool[] {
    return this.#shelf.known();
  }

  resolve(name: string, signal: AbortSignal, server?: string): Promise<McpTool | ToolFailure> {
    return this.#shelf.resolve(name, signal, server);
  }

  facts(server: string, tool: string) {
    return this.#shelf.facts(server, tool);
  }

  agreeToTool(server: string, tool: string, fingerprint: string): Promise<boolean> {
    return this.#shelf.agree(server, tool, fingerprint);
  }

  agreeToServer(server: string, fingerprint: string): Promise<boolean> {
    return this.#servers.agree(server, fingerprint);
  }

  async call({ server, tool, args, signal, clearedFor, progress }: McpCall): Promise<ToolOutcome> {
    const found = await this.resolve(tool, signal, server);
    if ('ok' in found) return found;
    if (!this.#shelf.isClearedFor(found, clearedFor)) return refuseChanged(found);
    const problem = this.#checker.check(args, found.inputSchema);
    if (problem !== undefined)
      return fail('EINVAL', `The arguments do not fit ${found.server}:${found.name}:\n${problem}`);
    return this.#use(found.server, async (connection) => {
      // Whoever lets a call through agrees to the tool as it is.
      const isAgreed =
        found.consent === 'given' || (await this.agreeToTool(found.server, found.name, found.fingerprint));
      if (!isAgreed) return refuseChanged(found);
      const result = await connection.request(
        (client, options) => client.callTool({ name: found.name, arguments: args }, options),
        signal,
        ({ progress: done, total, message }) =>
          progress?.(
            omitUndefined({
              text: message === undefined ? undefined : showText(message),
              fraction:
                total === undefined || total <= 0 ? undefined : Math.min(1, Math.max(0, done / total)),
            }),
          ),
      );
      return decodeResult(result, found.server, found.name);
    });
  }

  async resources(signal: AbortSignal, server?: string) {
    const { answers, problems } = await this.#servers.ask(server, async (connection) => {
      const { resources: isOffered } = await connection.capabilities(signal, 'fail');
      if (!isOffered) return [];
      const listed = await connection.request(
        (client, options) => client.listResources(undefined, options),
        signal,
      );
      // Many servers have no templates and say so with an error.
      const templates = await connection
        .request((client, options) => client.listResourceTemplates(undefined, options), signal)
        .catch(() => ({ resourceTemplates: [] }));
      return decodeResources(connection.definition.name, listed.resources, templates.resourceTemplates);
    });
    return { resources: answers, problems };
  }

  readResource(server: string, uri: string, signal: AbortSignal) {
    return this.#use(server, async (connection) => {
      const { contents } = await connection.request(
        (client, options) => client.readResource({ uri }, options),
        signal,
      );
      return {
        ok: true as const,
        contents: contents.map((content) =>
          omitUndefined({
            uri: content.uri,
            mimeType: content.mimeType,
            text: 'text' in content ? content.text : undefined,
            blob: 'blob' in content ? content.blob : undefined,
          }),
        ),
      };
    });
  }

  async prompts(signal: AbortSignal, server?: string) {
    const { answers, problems } = await this.#servers.ask(server, async (connection) => {
      const { prompts: isOffered } = await connection.capabilities(signal, 'fail');
      if (!isOffered) return [];
      const { prompts } = await connection.request(
        (client, options) => client.listPrompts(undefined, options),
        signal,
      );
      return decodePrompts(connection.definition.name, prompts);
    });
    return { prompts: answers, problems };
  }

  getPrompt(server: string, name: string, args: Readonly<Record<string, string>>, signal: AbortSignal) {
    return this.#use<ToolOutcome>(server, async (connection) => {
      const { messages } = await connection.request(
        (client, options) => client.getPrompt({ name, arguments: { ...args } }, options),
        signal,
      );
      const decoded = messages.map(({ role, content }) => ({ role, ...decodeContent([content]) }));
      const parts = decoded.flatMap((message) => message.parts);
      return succeed(
        decoded.map(({ role, text }) => `${role}: ${text}`).join('\n\n'),
        omitUndefined({ parts: parts.length === 0 ? undefined : parts }),
      );
    });
  }

  signIn(server: string, signal: AbortSignal) {
    return this.#use<ToolOutcome>(server, async (connection) => {
      const { name } = connection.definition;
      const port = this.#signInPort;
      if (!port)
        return fail(
          'UNAVAILABLE',
          `Nobody can sign in to ${name} from here; the user can do it at a terminal.`,
        );
      await connection.signIn(port, signal);
      await connection.capabilities(signal, 'wait');
      return succeed(`Signed in to ${name}; its tools can be used now.`);
    });
  }

  close(): Promise<void> {
    return this.#servers.close();
  }

  async #use<T>(server: string, use: (connection: McpConnection) => Promise<T>): Promise<T | ToolFailure> {
    const connection = this.#servers.pick(server);
    if ('ok' in connection) return connection;
    try {
      return await use(connection);
    } catch (error) {
      return toFailure(error);
    }
  }
}

/** Says nothing of the new description: it may be written to mislead whoever reads it, and the model would. */
function refuseChanged({ server, name }: McpTool): ToolFailure {
  return fail(
    'DENIED',
    `${server}:${name} is not the tool that was agreed to: its server changed its description or schema. The user has to look at the change and agree to it first; do without this tool until then.`,
  );
}

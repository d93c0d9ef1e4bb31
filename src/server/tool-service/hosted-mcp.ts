import type { McpHub } from '../../mcp/index.ts';
import { namesServer } from '../../mcp/tool-names.ts';
import { type Approvals, askPerson } from '../../tools/approvals/index.ts';
import type { McpCall, McpPort, McpServerInfo } from '../../tools/mcp-port.ts';
import { currentCallId } from '../../tools/runtime/current-call.ts';
import type { CallsInFlight } from './calls-in-flight.ts';

/**
 * The hub with a person at hand: a server that a workspace file defines and nobody has agreed to is asked for when a
 * call means it, as it is then. Lists of everything ask for nothing; there such a server is only named.
 */
export class HostedMcp implements McpPort {
  readonly #hub: McpHub;
  readonly #approvals: Approvals;
  readonly #calls: CallsInFlight;
  readonly #asking = new Map<string, Promise<void>>();
  /** States that were refused, by fingerprint: a model that tries again does not nag. */
  readonly #refused = new Set<string>();

  constructor(hub: McpHub, approvals: Approvals, calls: CallsInFlight) {
    this.#hub = hub;
    this.#approvals = approvals;
    this.#calls = calls;
  }

  servers() {
    return this.#hub.servers();
  }

  findServer(name: string) {
    return this.#hub.findServer(name);
  }

  async tools(signal: AbortSignal, server?: string) {
    await this.#askForNamed(server, signal);
    return this.#hub.tools(signal, server);
  }

  known() {
    return this.#hub.known();
  }

  async resolve(name: string, signal: AbortSignal, server?: string) {
    if (server === undefined) await this.#askFor((one) => namesServer(name, one.name), signal);
    else await this.#askForNamed(server, signal);
    return this.#hub.resolve(name, signal, server);
  }

  facts(server: string, tool: string) {
    return this.#hub.facts(server, tool);
  }

  agreeToTool(server: string, tool: string, fingerprint: string) {
    return this.#hub.agreeToTool(server, tool, fingerprint);
  }

  agreeToServer(server: string, fingerprint: string) {
    return this.#hub.agreeToServer(server, fingerprint);
  }

  async call(call: McpCall) {
    await this.#askForNamed(call.server, call.signal);
    const server = this.#hub.findServer(call.server)?.name ?? call.server;
    return this.#calls.track(server, () => this.#hub.call(call));
  }

  async resources(signal: AbortSignal, server?: string) {
    await this.#askForNamed(server, signal);
    return this.#hub.resources(signal, server);
  }

  async readResource(server: string, uri: string, signal: AbortSignal) {
    await this.#askForNamed(server, signal);
    return this.#hub.readResource(server, uri, signal);
  }

  async prompts(signal: AbortSignal, server?: string) {
    await this.#askForNamed(server, signal);
    return this.#hub.prompts(signal, server);
  }

  async getPrompt(server: string, name: string, args: Readonly<Record<string, string>>, signal: AbortSignal) {
    await this.#askForNamed(server, signal);
    return this.#hub.getPrompt(server, name, args, signal);
  }

  async signIn(server: string, signal: AbortSignal) {
    await this.#askForNamed(server, signal);
    return this.#hub.signIn(server, signal);
  }

  close() {
    return this.#hub.close();
  }

  async #askForNamed(server: string | undefined, signal: AbortSignal): Promise<void> {
    const meant = server === undefined ? undefined : this.#hub.findServer(server)?.name;
    if (meant !== undefined) await this.#askFor(({ name }) => name === meant, signal);
  }

  async #askFor(isMeant: (server: McpServerInfo) => boolean, signal: AbortSignal): Promise<void> {
    for (const server of this.#hub.servers())
      if (server.state === 'withheld' && isMeant(server)) await this.#askOnce(server, signal);
  }

  /** Several calls that mean one server wait for one answer. */
  #askOnce(server: McpServerInfo, signal: AbortSignal): Promise<void> {
    const fingerprint = server.change?.fingerprint ?? '';
    if (this.#refused.has(fingerprint)) return Promise.resolve();
    const asking =
      this.#asking.get(fingerprint) ??
      this.#ask(server, signal).finally(() => this.#asking.delete(fingerprint));
    this.#asking.set(fingerprint, asking);
    return asking;
  }

  async #ask({ name, origin, change }: McpServerInfo, signal: AbortSignal): Promise<void> {
    if (!change) return;
    const answer = await askPerson(
      this.#approvals,
      {
        kind: 'consent',
        asker: name,
        preview: `Use the MCP server ${name} as ${origin} defines it now?\n${change.diff}`,
        reason: `${origin} was changed after the workspace was trusted; its servers are programs that would run here.`,
        rule: 'protection:mcp-server-changed',
        callId: currentCallId(),
      },
      signal,
    );
    if (answer.type === 'agreed') await this.#hub.agreeToServer(name, change.fingerprint);
    if (answer.type === 'refused') this.#refused.add(change.fingerprint);
  }
}

import {
  type Client,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type Tool,
} from '@modelcontextprotocol/client';
import { omitUndefined } from '../core/index.ts';
import { createRedactor, type Redactor } from '../observe/redact.ts';
import type { McpAuthState, McpServerState } from '../tools/mcp-port.ts';
import type { ArgumentChecker } from './argument-checker.ts';
import { Backoff } from './backoff.ts';
import type { Elicit } from './elicitation.ts';
import { IdleLimit } from './idle-limit.ts';
import { isPlaywright } from './is-playwright.ts';
import type { KeyedStore } from './keyed-store.ts';
import { type FaultPlace, McpFault, needsSignIn, toFault } from './mcp-fault.ts';
import { OAuthSession } from './oauth-session.ts';
import { type LiveClient, openClient } from './open-client.ts';
import { orAbort } from './or-abort.ts';
import { type ServerDefinition, secretsOf, transportOf } from './server-definition.ts';
import { type SignInPort, signIn } from './sign-in.ts';
import type { StdioTransport } from './stdio-transport.ts';

export interface ConnectionServices {
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly version: string;
  readonly graceMs: number;
  readonly checker: ArgumentChecker;
  readonly tokens: KeyedStore;
  readonly elicit: Elicit | undefined;
  readonly nowMs: () => number;
  /** Resolves after that time, or rejects when the signal fires. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

/** `wait` lets a call sit out the pause after a failure; a listing of many servers does not. */
export type Patience = 'wait' | 'fail';

/** More is a mistake of the server, and no model could read it. */
const MAX_TOOLS = 1_000;
const MAX_NAME_CHARACTERS = 256;

/** One server: connected at the first use, again after a loss, with pauses between failures. */
export class McpConnection {
  readonly definition: ServerDefinition;
  readonly #services: ConnectionServices;
  readonly #redactor: Redactor;
  readonly #backoff: Backoff;
  readonly #session: OAuthSession | undefined;
  readonly #end = new AbortController();
  readonly #limits = new Set<IdleLimit>();
  #opening: Promise<LiveClient> | undefined;
  #live: LiveClient | undefined;
  #program: StdioTransport | undefined;
  #fault: McpFault | undefined;
  #tools: Promise<readonly Tool[]> | undefined;
  #toolNames: readonly string[] = [];
  #auth: McpAuthState = 'unneeded';

  constructor(definition: ServerDefinition, services: ConnectionServices) {
    const { config } = definition;
    this.definition = definition;
    this.#services = services;
    this.#redactor = createRedactor(secretsOf(config));
    this.#backoff = new Backoff(services.nowMs);
    if (config.url !== undefined)
      this.#session = new OAuthSession({
        url: new URL(config.url),
        oauth: config.oauth,
        store: services.tokens,
        onSecret: (secret) => this.#redactor.addSecret(secret),
      });
  }

  get state(): McpServerState {
    if (this.definition.config.disabled) return 'disabled';
    if (this.#live) return 'ready';
    if (this.#opening) return 'connecting';
    if (this.#auth === 'needed') return 'needs-sign-in';
    return this.#fault || this.definition.problem !== undefined ? 'failed' : 'idle';
  }

  get auth(): McpAuthState {
    return this.#auth;
  }

  get problem(): string | undefined {
    return this.definition.problem ?? (this.#live ? undefined : this.#fault?.message);
  }

  get isPlaywright(): boolean {
    const name = this.#live?.client.getServerVersion()?.name;
    return isPlaywright(this.definition, { name, tools: this.#toolNames });
  }

  get instructions(): string | undefined {
    return this.#live?.client.getInstructions();
  }

  /** What the server says it can do; connects where needed. */
  async capabilities(signal: AbortSignal, patience: Patience) {
    const { client } = await this.#connected(signal, patience);
    return client.getServerCapabilities() ?? {};
  }

  /** Kept until the server says that they changed, or the connection is lost. */
  async tools(signal: AbortSignal, patience: Patience): Promise<readonly Tool[]> {
    const capabilities = await this.capabilities(signal, patience);
    if (!capabilities.tools) return [];
    this.#tools ??= this.#listTools().catch((error: unknown) => {
      this.#tools = undefined;
      throw error;
    });
    return orAbort(this.#tools, signal, () => this.#toFault(undefined, signal));
  }

  async #listTools(): Promise<readonly Tool[]> {
    const { tools } = await this.request(
      (client, options) => client.listTools(undefined, options),
      this.#end.signal,
    );
    const byName = new Map<string, Tool>();
    for (const tool of tools.slice(0, MAX_TOOLS)) {
      // A second tool of one name could only be meant to hide behind the first.
      const isUsable = tool.name !== '' && tool.name.length <= MAX_NAME_CHARACTERS && !byName.has(tool.name);
      if (isUsable) byName.set(tool.name, tool);
    }
    this.#toolNames = [...byName.keys()];
    return [...byName.values()];
  }

  /** One request with the server's time limits; progress and questions to the user stretch the first of them. */
  async request<T>(
    send: (client: Client, options: RequestOptions) => Promise<T>,
    signal: AbortSignal,
    onProgress?: RequestOptions['onprogress'],
  ): Promise<T> {
    const live = await this.#connected(signal, 'wait');
    try {
      return await this.#attempt(live, send, signal, onProgress);
    } catch (error) {
      if (isGone(error)) this.#forget(live);
      if (!isLostSession(error, live)) throw this.#toFault(error, signal);
    }
    // The server has forgotten the session and refused the request unread: a new session may ask again.
    await this.#drop(live);
    const next = await this.#connected(signal, 'wait');
    return this.#attempt(next, send, signal, onProgress).catch((error: unknown) => {
      throw this.#toFault(error, signal);
    });
  }

  async #attempt<T>(
    { client }: LiveClient,
    send: (client: Client, options: RequestOptions) => Promise<T>,
    signal: AbortSignal,
    onProgress?: RequestOptions['onprogress'],
  ): Promise<T> {
    const { callMs, totalMs } = this.definition.config.timeouts;
    const { name } = this.definition;
    const timeout = new AbortController();
    const limit = new IdleLimit(callMs, () =>
      timeout.abort(
        new McpFault('ETIMEDOUT', `${name} gave no sign for ${callMs} ms; the call was cancelled.`),
      ),
    );
    this.#limits.add(limit);
    try {
      return await send(client, {
        signal: AbortSignal.any([signal, timeout.signal, this.#end.signal]),
        timeout: totalMs,
        maxTotalTimeout: totalMs,
        onprogress: (progress) => {
          limit.touch();
          onProgress?.(progress);
        },
      });
    } catch (error) {
      throw timeout.signal.aborted && !signal.aborted ? timeout.signal.reason : error;
    } finally {
      limit.stop();
      this.#limits.delete(limit);
    }
  }

  async signIn(port: SignInPort, signal: AbortSignal): Promise<void> {
    const { name, config } = this.definition;
    if (!this.#session || config.url === undefined)
      throw new McpFault(
        'EINVAL',
        `${name} is a program on this machine; it has no sign-in here. Put its keys under env.`,
      );
    try {
      await signIn({ server: name, url: new URL(config.url), session: this.#session, port, signal });
    } catch (error) {
      throw this.#toFault(error, signal);
    }
    this.#auth = 'signed-in';
    this.#fault = undefined;
    this.#backoff.succeeded();
    if (this.#live) await this.#drop(this.#live);
  }

  async close(): Promise<void> {
    this.#end.abort(new McpFault('ECANCELED', `The connection to ${this.definition.name} was closed.`));
    const live = this.#live ?? (await this.#opening?.catch(() => undefined));
    if (live) await this.#drop(live);
    await this.#program?.close();
  }

  async #connected(signal: AbortSignal, patience: Patience): Promise<LiveClient> {
    const { name, config, problem } = this.definition;
    if (this.#end.signal.aborted) throw this.#end.signal.reason;
    if (config.disabled)
      throw new McpFault('UNAVAILABLE', `The MCP server ${name} is disabled in ${this.definition.origin}.`);
    if (problem !== undefined)
      throw new McpFault('UNAVAILABLE', `The MCP server ${name} cannot be used. ${problem}`);
    if (this.#live) return this.#live;
    if (!this.#opening) {
      // Without a token the answer would be the same; one may have come from a sign-in in another program.
      if (this.#auth === 'needed' && this.#fault && !(await this.#session?.tokens())) throw this.#fault;
      const { waitMs } = this.#backoff;
      if (waitMs > 0) {
        if (patience === 'fail' && this.#fault) throw this.#fault;
        await this.#services.wait(waitMs, signal).catch(() => undefined);
        if (signal.aborted) throw this.#toFault(undefined, signal);
      }
    }
    // Others may be waiting for the same connection: one caller that goes away does not end it.
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return orAbort(this.#opening, signal, () => this.#toFault(undefined, signal));
  }

  async #open(): Promise<LiveClient> {
    try {
      const live = await openClient({
        ...this.#services,
        definition: this.definition,
        signal: this.#end.signal,
        session: this.#session,
        elicit: this.#services.elicit && this.#pausingElicit(this.#services.elicit),
        onToolsChanged: () => {
          this.#tools = undefined;
        },
        onProgram: (program) => {
          this.#program = program;
        },
      });
      this.#live = live;
      this.#tools = undefined;
      this.#fault = undefined;
      this.#backoff.succeeded();
      live.client.onclose = () => this.#forget(live);
      this.#auth = (await this.#session?.tokens()) ? 'signed-in' : 'unneeded';
      return live;
    } catch (error) {
      if (needsSignIn(error)) this.#auth = 'needed';
      this.#backoff.failed();
      this.#fault = this.#toFault(error, this.#end.signal);
      throw this.#fault;
    }
  }

  #pausingElicit(elicit: Elicit): Elicit {
    return async (elicitation) => {
      const limits = [...this.#limits];
      for (const limit of limits) limit.pause();
      try {
        return await elicit(elicitation);
      } finally {
        for (const limit of limits) limit.resume();
      }
    };
  }

  #forget(live: LiveClient): void {
    if (this.#live !== live) return;
    this.#live = undefined;
    this.#tools = undefined;
  }

  async #drop(live: LiveClient): Promise<void> {
    this.#forget(live);
    const { client, transport } = live;
    // A session that is not ended stays on the server until it times out; a refusal changes nothing for us.
    if (transport instanceof StreamableHTTPClientTransport && transport.sessionId !== undefined)
      await transport.terminateSession().catch(() => undefined);
    await client.close().catch(() => undefined);
  }

  #place(signal?: AbortSignal): FaultPlace {
    return omitUndefined({
      server: this.definition.name,
      signal,
      report: transportOf(this.definition.config) === 'stdio' ? this.#program?.report : undefined,
      redact: (text: string) => this.#redactor.redact(text),
    });
  }

  #toFault(error: unknown, signal: AbortSignal): McpFault {
    return toFault(error, this.#place(signal));
  }
}

function isGone(error: unknown): boolean {
  return (
    SdkError.isInstance(error) &&
    (error.code === SdkErrorCode.NotConnected || error.code === SdkErrorCode.ConnectionClosed)
  );
}

/** 404 to a request that named a session: the specification's word for "begin a new one". */
function isLostSession(error: unknown, { transport }: LiveClient): boolean {
  return SdkHttpError.isInstance(error) && error.status === 404 && transport.sessionId !== undefined;
}

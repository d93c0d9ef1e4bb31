// Cursor's agent backend, or any other server of `agent.v1`, as an upstream: its stream stays open while the caller
// runs tools.
import { GatewayError } from '../../core/index.ts';
import type {
  EventBatch,
  ModelInfo,
  Upstream,
  UpstreamCall,
  UpstreamKind,
  UpstreamOptions,
} from '../dialect.ts';
import { REAL_TIMERS, type Timers } from '../upstream-timers.ts';
import { CURSOR_BASE_URL, createAgentCredentials } from './account/index.ts';
import type { AgentCredentials, AgentTransport } from './agent-connection.ts';
import { type AgentSettings, CURSOR_AGENT, readSettings } from './agent-settings.ts';
import { ModelCatalogue } from './model-catalogue.ts';
import { openAgentTurn } from './open-agent-turn.ts';
import { requestHeaders } from './request-headers.ts';
import { createAgentTransport } from './transport/create-agent-transport.ts';

export const agentUpstreamKind: UpstreamKind = {
  kind: CURSOR_AGENT,
  holdsTurns: true,
  create: (options) => {
    const { name, apiKey, accessToken, vault, onSecret, timeouts, proxy, headers, capabilities } = options;
    const baseUrl = options.baseUrl ?? CURSOR_BASE_URL;
    const mode = readSettings(capabilities).transport;
    return new AgentUpstream(options, {
      transport: createAgentTransport({ name, baseUrl, timeouts, proxy, headers, mode }),
      credentials: createAgentCredentials({ apiKey, accessToken, vault, onSecret, baseUrl, nowMs: Date.now }),
    });
  },
};

export interface AgentUpstreamParts {
  readonly transport: AgentTransport;
  readonly credentials: AgentCredentials;
  readonly timers?: Timers;
}

export class AgentUpstream implements Upstream {
  readonly name: string;
  readonly kind = CURSOR_AGENT;
  readonly supportsChoices = false;
  readonly #options: UpstreamOptions;
  readonly #parts: AgentUpstreamParts;
  readonly #settings: AgentSettings;
  readonly #timers: Timers;
  readonly #catalogue: ModelCatalogue;

  constructor(options: UpstreamOptions, parts: AgentUpstreamParts) {
    this.name = options.name;
    this.#options = options;
    this.#parts = parts;
    this.#settings = readSettings(options.capabilities);
    this.#timers = parts.timers ?? REAL_TIMERS;
    this.#catalogue = new ModelCatalogue(
      (path, body, signal) => this.#callUnary(path, body, signal),
      () => this.#timers.nowMs(),
    );
  }

  openTurn(call: UpstreamCall): AsyncGenerator<EventBatch> {
    const { transport, credentials } = this.#parts;
    const { newId, headers } = this.#options;
    const knownModels = this.#catalogue.knownIds;
    const settings = this.#settings;
    return openAgentTurn(
      { transport, credentials, settings, timers: this.#timers, newId, knownModels, headers },
      call,
    );
  }

  async listModels(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const { models, contextWindow } = this.#options;
    const listed = models ? models.map((id): ModelInfo => ({ id })) : await this.#catalogue.list(signal);
    return contextWindow === undefined ? listed : listed.map((model) => ({ contextWindow, ...model }));
  }

  close(): Promise<void> {
    return this.#parts.transport.close();
  }

  async #callUnary(path: string, body: Uint8Array, signal: AbortSignal): Promise<Uint8Array> {
    const { transport, credentials } = this.#parts;
    const attempt = async () => {
      const token = await credentials.accessToken(signal);
      const { isPrivate } = this.#settings;
      const headers = requestHeaders({ token, isPrivate, configured: this.#options.headers });
      try {
        return await transport.callUnary(path, body, { signal, headers });
      } catch (thrown) {
        const error = GatewayError.from(thrown, 'upstream-unavailable');
        if (error.code === 'unauthenticated') credentials.refuse(token);
        throw error;
      }
    };
    try {
      return await attempt();
    } catch (thrown) {
      if (GatewayError.from(thrown).code !== 'unauthenticated') throw thrown;
      return await attempt();
    }
  }
}

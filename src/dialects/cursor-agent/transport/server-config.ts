// What the backend says about its own transports: aiserver.v1.ServerConfigService/GetServerConfig.
// Known from public clients: `http2_config` 1 and 3 forbid the bidi stream, `agent_url_config` names the agent hosts.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  GetServerConfigRequestSchema,
  type GetServerConfigResponse,
  GetServerConfigResponseSchema,
  Http2Config,
} from '../../../gen/aiserver/v1/server_config_pb.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { UnaryCall } from './unary-call.ts';

const CONFIG_PATH = '/aiserver.v1.ServerConfigService/GetServerConfig';
const FRESH_MS = 10 * 60_000;
const RETRY_MS = 60_000;
/** The first turn waits for it, so it must not wait long. */
const TIMEOUT_MS = 3_000;

export interface TransportAdvice {
  readonly allowsBidi: boolean;
  /** Agent hosts for privacy mode and without it. */
  readonly privateAgentUrl?: string | undefined;
  readonly sharedAgentUrl?: string | undefined;
}

const NO_ADVICE: TransportAdvice = { allowsBidi: true };

/** Asked once, shared by all runs, asked again when old. A server that does not answer gives no advice. */
export class ServerConfig {
  readonly #callUnary: UnaryCall;
  readonly #timers: Timers;
  readonly #baseUrl: URL;
  #advice: Promise<TransportAdvice> | undefined;
  #freshUntilMs = 0;

  constructor(callUnary: UnaryCall, baseUrl: URL, timers: Timers) {
    this.#callUnary = callUnary;
    this.#baseUrl = baseUrl;
    this.#timers = timers;
  }

  advice(headers: Readonly<Record<string, string>>): Promise<TransportAdvice> {
    if (this.#advice === undefined || this.#timers.nowMs() >= this.#freshUntilMs) {
      this.#freshUntilMs = this.#timers.nowMs() + FRESH_MS;
      this.#advice = this.#ask(headers).catch(() => {
        this.#freshUntilMs = this.#timers.nowMs() + RETRY_MS;
        return NO_ADVICE;
      });
    }
    return this.#advice;
  }

  async #ask(headers: Readonly<Record<string, string>>): Promise<TransportAdvice> {
    // Not the signal of the turn that happens to be first: others wait for the same answer.
    const controller = new AbortController();
    const cancelTimer = this.#timers.after(TIMEOUT_MS, () => controller.abort());
    try {
      const request = toBinary(GetServerConfigRequestSchema, create(GetServerConfigRequestSchema));
      const answer = await this.#callUnary(CONFIG_PATH, request, { signal: controller.signal, headers });
      return this.#read(fromBinary(GetServerConfigResponseSchema, answer));
    } finally {
      cancelTimer();
    }
  }

  #read({ http2Config, agentUrlConfig }: GetServerConfigResponse): TransportAdvice {
    const trusted = (url: string | undefined) => (isTrusted(url, this.#baseUrl) ? url : undefined);
    return {
      allowsBidi:
        http2Config !== Http2Config.FORCE_ALL_DISABLED && http2Config !== Http2Config.FORCE_BIDI_DISABLED,
      privateAgentUrl: trusted(agentUrlConfig?.agentUrl),
      sharedAgentUrl: trusted(agentUrlConfig?.agentnUrl),
    };
  }
}

const CURSOR_HOST = /(^|\.)cursor\.sh$/;

/** The token goes there: only the host it was meant for, or Cursor's own hosts among each other, never in clear. */
function isTrusted(url: string | undefined, base: URL): boolean {
  if (!url || !URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'https:' && protocol !== base.protocol) return false;
  return hostname === base.hostname || (CURSOR_HOST.test(hostname) && CURSOR_HOST.test(base.hostname));
}

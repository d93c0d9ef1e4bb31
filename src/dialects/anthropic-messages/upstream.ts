// Anthropic as an upstream, and every server that imitates its Messages API.
import { GatewayError, isJsonObject, type Part, type TurnRequest } from '../../core/index.ts';
import { replaceTopLevelString } from '../../wire/json.ts';
import type {
  EventBatch,
  ModelInfo,
  Upstream,
  UpstreamCall,
  UpstreamKind,
  UpstreamOptions,
} from '../dialect.ts';
import { readAnswer } from '../read-answer.ts';
import { type HttpAnswer, UpstreamHttp } from '../upstream-http.ts';
import { decodeMessage } from './decode-message.ts';
import { encodeRequest } from './encode-request.ts';
import { chooseEncoding, type MessagesEncoding } from './encoding-options.ts';
import { decodeErrorResponse } from './errors.ts';
import { decodeModelPage } from './models.ts';
import { ANTHROPIC_MESSAGES, DEFAULT_VERSION, messagesExtra } from './schema.ts';
import { MessagesTurnDecoder } from './turn-decoder.ts';

const DEFAULT_BASE_URL = 'https://api.anthropic.com/v1';
const MAX_ERROR_BYTES = 256 * 1024;
const MAX_COUNT_BYTES = 64 * 1024;
const MAX_MODEL_PAGES = 10;

export const anthropicMessagesUpstream: UpstreamKind = {
  kind: ANTHROPIC_MESSAGES,
  create: (options) => new MessagesUpstream(options),
};

class MessagesUpstream implements Upstream {
  readonly name: string;
  readonly kind = ANTHROPIC_MESSAGES;
  readonly supportsChoices = false;
  readonly #options: UpstreamOptions;
  readonly #http: UpstreamHttp;
  readonly #encoding: MessagesEncoding;
  readonly #outputLimits = new Map<string, number>();

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = withAnthropicHeaders(options);
    this.#http = new UpstreamHttp(this.#options);
    this.#encoding = { ...chooseEncoding(options), outputLimits: this.#outputLimits };
  }

  async *openTurn(call: UpstreamCall): AsyncGenerator<EventBatch> {
    const { request, signal } = call;
    const original = originalBody(call);
    const encoded = original === undefined ? encodeRequest(request, this.#encoding) : undefined;
    const accept = request.stream ? 'text/event-stream' : 'application/json';
    const headers = { ...this.#requestHeaders(request), accept };
    const answer = await this.#http.post('/messages', original ?? JSON.stringify(encoded?.body), {
      signal,
      headers,
    });
    await throwRefusal(answer);
    const { toolOrigins, usesJsonTool, warnings } = encoded ?? {
      toolOrigins: new Map(),
      usesJsonTool: false,
    };
    const decoding = { newId: this.#options.newId, toolOrigins, usesJsonTool };
    yield* readAnswer({
      body: answer.body,
      isStream: request.stream,
      wantsRaw: call.rawDialect === ANTHROPIC_MESSAGES && toolOrigins.size === 0 && !usesJsonTool,
      decoder: new MessagesTurnDecoder(decoding),
      decodeWhole: (value) => decodeMessage(value, decoding),
      // Only a `message_stop` without its blank line is worth rescuing; anything else in the rest was cut.
      isWholeRest: (data) => /^\{\s*"type"\s*:\s*"message_stop"\s*\}$/.test(data),
      warnings: warnings ?? [],
    });
  }

  async countTokens(request: TurnRequest, signal: AbortSignal): Promise<number> {
    const { body } = encodeRequest(request, this.#encoding);
    // The endpoint refuses what only matters for the answer.
    const {
      max_tokens,
      stream,
      temperature,
      top_p,
      top_k,
      stop_sequences,
      metadata,
      service_tier,
      ...counted
    } = body;
    const headers = this.#requestHeaders(request);
    const answer = await this.#http.post('/messages/count_tokens', JSON.stringify(counted), {
      signal,
      headers,
    });
    await throwRefusal(answer);
    const text = await answer.readText(MAX_COUNT_BYTES);
    const count = readCount(text);
    if (count !== undefined) return count;
    throw new GatewayError('upstream-malformed', `Upstream ${this.name} did not answer with a token count.`);
  }

  async listModels(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const { models, contextWindow } = this.#options;
    const listed = models ? models.map((id): ModelInfo => ({ id })) : await this.#discover(signal);
    for (const { id, maxOutputTokens } of listed) {
      if (maxOutputTokens !== undefined) this.#outputLimits.set(id, maxOutputTokens);
    }
    return contextWindow === undefined ? listed : listed.map((model) => ({ contextWindow, ...model }));
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  async #discover(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const found: ModelInfo[] = [];
    let afterId: string | undefined;
    for (let page = 0; page < MAX_MODEL_PAGES; page++) {
      const { models, afterId: next } = decodeModelPage(
        await this.#http.getJson(modelsPath(afterId), signal),
      );
      found.push(...models);
      if (next === undefined || next === afterId) break;
      afterId = next;
    }
    return found;
  }

  /** The version and the betas a client of this dialect asked for, unless the operator fixed them. */
  #requestHeaders(request: TurnRequest): Record<string, string> {
    const kept = messagesExtra(request)?.headers;
    if (!isJsonObject(kept)) return {};
    const headers: Record<string, string> = {};
    const version = kept['anthropic-version'];
    const configured = this.#options.headers;
    if (typeof version === 'string' && configured['anthropic-version'] === DEFAULT_VERSION) {
      headers['anthropic-version'] = version;
    }
    const beta = kept['anthropic-beta'];
    if (typeof beta === 'string') {
      headers['anthropic-beta'] = joinLists(configured['anthropic-beta'], beta);
    }
    return headers;
  }
}

/** Anthropic's own keys go in `x-api-key`; OAuth tokens and other servers' keys (capability `bearer`) as a bearer. */
function withAnthropicHeaders(options: UpstreamOptions): UpstreamOptions {
  const { apiKey, capabilities } = options;
  const isBearer = apiKey?.startsWith('sk-ant-oat') || capabilities.includes('bearer');
  const configured = Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...options,
    baseUrl: withVersionPath(options.baseUrl ?? DEFAULT_BASE_URL),
    apiKey: isBearer ? apiKey : undefined,
    headers: {
      'anthropic-version': DEFAULT_VERSION,
      ...(apiKey && !isBearer ? { 'x-api-key': apiKey } : {}),
      ...Object.fromEntries(configured),
    },
  };
}

/** ANTHROPIC_BASE_URL is written without `/v1`, by habit of Anthropic's SDKs; both ways are understood. */
function withVersionPath(baseUrl: string): string {
  if (!URL.canParse(baseUrl)) return baseUrl; // refused with a clear message where it is used
  const url = new URL(baseUrl);
  const path = url.pathname.replace(/\/+$/, '');
  if (!/\/v\d+\w*$/.test(path)) url.pathname = `${path}/v1`;
  return url.href;
}

function joinLists(...lists: readonly (string | undefined)[]): string {
  const items = lists.flatMap((list) => list?.split(',') ?? []).map((item) => item.trim());
  return [...new Set(items.filter((item) => item !== ''))].join(',');
}

/** The client's own bytes with only the model changed, where the API would take them. */
function originalBody({ original, request }: UpstreamCall): string | undefined {
  if (original?.dialect !== ANTHROPIC_MESSAGES) return undefined;
  if (request.messages.some(({ content }) => content.some(isForeign))) return undefined;
  return replaceTopLevelString(Buffer.from(original.body).toString('utf8'), 'model', request.model);
}

/** Traces of another model's turns in the history, which Anthropic refuses: unsigned thoughts, ids it cannot read. */
function isForeign(part: Part): boolean {
  if (part.type === 'reasoning') return !part.signature && part.encrypted === undefined;
  return part.type === 'tool-call' && !/^[A-Za-z0-9_-]+$/.test(part.callId);
}

async function throwRefusal(answer: HttpAnswer): Promise<void> {
  if (answer.status >= 200 && answer.status <= 299) return;
  throw decodeErrorResponse(answer.status, answer.headers, await answer.readText(MAX_ERROR_BYTES));
}

function readCount(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && typeof value.input_tokens === 'number' ? value.input_tokens : undefined;
  } catch {
    return undefined;
  }
}

function modelsPath(afterId: string | undefined): string {
  return afterId === undefined ? '/models' : `/models?after_id=${encodeURIComponent(afterId)}`;
}

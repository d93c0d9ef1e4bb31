// A server that speaks chat completions, as an upstream: OpenAI, and everything that imitates it.
import type { TurnRequest } from '../../core/index.ts';
import { replaceTopLevelString } from '../../wire/json.ts';
import type {
  EventBatch,
  ModelInfo,
  Upstream,
  UpstreamCall,
  UpstreamKind,
  UpstreamOptions,
} from '../dialect.ts';
import { isJson, readAnswer } from '../read-answer.ts';
import { UpstreamHttp } from '../upstream-http.ts';
import { decodeCompletion } from './decode-completion.ts';
import { encodeRequest } from './encode-request.ts';
import { CHAT_BASE_URL, type ChatEncoding, chooseEncoding } from './encoding-options.ts';
import { decodeErrorResponse } from './errors.ts';
import { decodeModelList } from './models.ts';
import { OPENAI_CHAT } from './schema.ts';
import { ChatTurnDecoder } from './turn-decoder.ts';

const MAX_ERROR_BYTES = 256 * 1024;

export const openaiChatUpstream: UpstreamKind = {
  kind: OPENAI_CHAT,
  create: (options) => new ChatUpstream({ ...options, baseUrl: options.baseUrl ?? CHAT_BASE_URL }),
};

class ChatUpstream implements Upstream {
  readonly name: string;
  readonly kind = OPENAI_CHAT;
  readonly supportsChoices = true;
  readonly #options: UpstreamOptions;
  readonly #http: UpstreamHttp;
  readonly #encoding: ChatEncoding;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.#http = new UpstreamHttp(options);
    this.#encoding = chooseEncoding(options);
  }

  async *openTurn(call: UpstreamCall): AsyncGenerator<EventBatch> {
    const { signal, request } = call;
    const original = this.#originalBody(call);
    const encoded = original === undefined ? encodeRequest(request, this.#encoding) : undefined;
    const body = original ?? JSON.stringify(encoded?.body);
    const accept = request.stream ? 'text/event-stream' : 'application/json';
    const answer = await this.#http.post('/chat/completions', body, { signal, headers: { accept } });
    if (answer.status < 200 || answer.status > 299) {
      throw decodeErrorResponse(answer.status, answer.headers, await answer.readText(MAX_ERROR_BYTES));
    }
    const toolOrigins = encoded?.toolOrigins ?? new Map();
    const { newId } = this.#options;
    const hidesUsage = encoded !== undefined && request.includeUsage !== true;
    yield* readAnswer({
      body: answer.body,
      isStream: request.stream,
      wantsRaw: call.rawDialect === OPENAI_CHAT && toolOrigins.size === 0,
      decoder: new ChatTurnDecoder({ newId, toolOrigins }),
      decodeWhole: (value) => decodeCompletion(value, { newId, toolOrigins }),
      isForwarded: ({ data }) => !isDoneMark(data) && !(hidesUsage && isUsageChunk(data)),
      isWholeRest: (data) => isDoneMark(data) || isJson(data),
      warnings: encoded?.warnings ?? [],
    });
  }

  async listModels(signal: AbortSignal): Promise<readonly ModelInfo[]> {
    const { models, contextWindow } = this.#options;
    const listed = models
      ? models.map((id): ModelInfo => ({ id }))
      : decodeModelList(await this.#http.getJson('/models', signal));
    if (contextWindow === undefined) return listed;
    return listed.map((model) => ({ contextWindow, ...model }));
  }

  close(): Promise<void> {
    return this.#http.close();
  }

  /** The client's own bytes with only the model changed, where they may be sent so. */
  #originalBody({ original, request }: UpstreamCall): string | undefined {
    if (original?.dialect !== OPENAI_CHAT || this.#mustTranslate(request)) return undefined;
    return replaceTopLevelString(Buffer.from(original.body).toString('utf8'), 'model', request.model);
  }

  #mustTranslate(request: TurnRequest): boolean {
    return !this.#encoding.customTools && request.tools.some((tool) => tool.kind === 'custom');
  }
}

/** The encoder writes the end mark itself, once it is known how the turn ended. */
function isDoneMark(data: string | undefined): boolean {
  return data?.trim() === '[DONE]';
}

/** A chunk that holds nothing but the counts; when those were our wish and not the client's, it stays here. */
function isUsageChunk(data: string | undefined): boolean {
  return data?.includes('"usage"') === true && /"choices"\s*:\s*\[\s*\]/.test(data);
}

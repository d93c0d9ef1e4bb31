// A server that speaks Responses, as an upstream: OpenAI, and what imitates it.
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
import { decodeResponse } from './decode-response.ts';
import { encodeRequest } from './encode-request.ts';
import { decodeErrorResponse } from './errors.ts';
import { decodeModelList } from './models.ts';
import { OPENAI_RESPONSES } from './schema.ts';
import { SEAL_MARK } from './sealed-content.ts';
import { ResponsesTurnDecoder } from './turn-decoder.ts';

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
const MAX_ERROR_BYTES = 256 * 1024;

export const openaiResponsesUpstream: UpstreamKind = {
  kind: OPENAI_RESPONSES,
  create: (options) => new ResponsesUpstream({ ...options, baseUrl: options.baseUrl ?? DEFAULT_BASE_URL }),
};

class ResponsesUpstream implements Upstream {
  readonly name: string;
  readonly kind = OPENAI_RESPONSES;
  readonly supportsChoices = false;
  readonly #options: UpstreamOptions;
  readonly #http: UpstreamHttp;

  constructor(options: UpstreamOptions) {
    this.name = options.name;
    this.#options = options;
    this.#http = new UpstreamHttp(options);
  }

  async *openTurn(call: UpstreamCall): AsyncGenerator<EventBatch> {
    const { signal, request } = call;
    const original = originalBody(call);
    const encoded = original === undefined ? encodeRequest(request) : undefined;
    const body = original ?? JSON.stringify(encoded?.body);
    const accept = request.stream ? 'text/event-stream' : 'application/json';
    const answer = await this.#http.post('/responses', body, { signal, headers: { accept } });
    if (answer.status < 200 || answer.status > 299) {
      throw decodeErrorResponse(answer.status, answer.headers, await answer.readText(MAX_ERROR_BYTES));
    }
    const wantsRaw = call.rawDialect === OPENAI_RESPONSES;
    const decoding = {
      keepsResponse: wantsRaw,
      newId: this.#options.newId,
      originOf: (name: string) => encoded?.names.origin(name),
    };
    const decoder = new ResponsesTurnDecoder(decoding);
    yield* readAnswer({
      body: answer.body,
      isStream: request.stream,
      wantsRaw,
      decoder,
      decodeWhole: (value) => decodeResponse(value, decoding),
      isWholeRest: isJson,
      // A turn that fails right after its announcement (a rate limit, an overloaded server) can still be tried
      // elsewhere. The front's keep-alive covers the silence.
      isOnlyAnnounced: () => decoder.isOnlyAnnounced,
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
}

/** The client's own bytes with only the model changed, where they may be sent so. */
function originalBody({ original, request }: UpstreamCall): string | undefined {
  if (original?.dialect !== OPENAI_RESPONSES) return undefined;
  const text = Buffer.from(original.body).toString('utf8');
  // What we sealed ourselves only we can open; OpenAI would refuse it.
  if (text.includes(SEAL_MARK)) return undefined;
  return replaceTopLevelString(text, 'model', request.model);
}

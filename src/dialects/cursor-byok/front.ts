// The endpoint behind Cursor's "Override OpenAI Base URL". Cursor's servers post chat, Responses and Anthropic shapes
// to one path and read every answer as chat. Known from captured requests, Cursor's staff and gateways that work.
import type { JsonObject } from '../../core/index.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { Front, FrontRequest } from '../dialect.ts';
import { adjustRequest } from './adjust-request.ts';
import { CURSOR_BYOK, type OutputDialect, readNotes } from './byok-extra.ts';
import { chooseDialect } from './choose-dialect.ts';
import { mapResult } from './map-events.ts';
import { normaliseBody } from './normalise-body.ts';
import { ReasoningCache } from './reasoning-cache.ts';
import { shortenError } from './shorten-error.ts';
import { ThoughtCollector } from './thought-collector.ts';
import { ByokTurnEncoder } from './turn-encoder.ts';
import { stripThinking, type ThinkingStyle } from './visible-thinking.ts';

export interface CursorByokOptions {
  /** The output dialect of requests that choose none. */
  readonly dialect?: OutputDialect | undefined;
  /** Native frames use the keys of the protobuf messages. */
  readonly strictProto?: boolean | undefined;
  readonly showThinking?: ThinkingStyle | undefined;
  readonly reasoningCacheEntries?: number | undefined;
}

export interface CursorByokParts {
  /** The dialects do not know each other; whoever lists them hands these two over. */
  readonly chat: Front;
  readonly responses: Front;
  readonly options?: CursorByokOptions | undefined;
}

export function createCursorByokFront({ chat, responses, options = {} }: CursorByokParts): Front {
  const cache = new ReasoningCache({ maxEntries: options.reasoningCacheEntries });
  const thinking = options.showThinking ?? 'off';
  const cleanAssistantText = thinking === 'off' ? undefined : stripThinking;
  return {
    dialect: CURSOR_BYOK,
    turnPaths: [
      '/cursor/chat/completions',
      '/cursor/v1/chat/completions',
      // Users type the base with `/v1`, and some builds add their own.
      '/cursor/v1/v1/chat/completions',
      '/cursor/openai/deployments/:model/chat/completions',
    ],
    decodeRequest(http) {
      const dialect = chooseDialect(http, options.dialect ?? 'openai');
      const normalised = normaliseBody(parseJsonBody(http.body), { cleanAssistantText });
      const front = normalised.shape === 'chat' ? chat : responses;
      const decoded = front.decodeRequest(withBody(http, normalised.body));
      return adjustRequest(decoded, { http, normalised, dialect, cache });
    },
    createEncoder: (context) =>
      new ByokTurnEncoder(context, {
        chat: chat.createEncoder(context),
        cache,
        thinking,
        strictProto: options.strictProto ?? false,
      }),
    encodeResult(result, context) {
      new ThoughtCollector(cache, readNotes(context.request).scope).addResult(result);
      return chat.encodeResult(mapResult(result, context, thinking), context);
    },
    encodeError: (error) => chat.encodeError(shortenError(error)),
    keepAlive: chat.keepAlive,
    streamContentType: chat.streamContentType,
  };
}

function withBody(http: FrontRequest, body: JsonObject): FrontRequest {
  return { ...http, body: new TextEncoder().encode(JSON.stringify(body)) };
}

// `POST /v1/messages/count_tokens`: the same request without `max_tokens`, answered with `{"input_tokens": n}`.
// Known from Anthropic's reference. The estimate is ours, for upstreams that cannot count before they answer.
import { estimateTokens, type Part, type TurnRequest } from '../../core/index.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { FrontRoute } from '../dialect.ts';
import { decodeRequestBody } from './decode-request.ts';

/** The estimate is marked as one: law of the house, a guess never passes for a count. */
export const countTokensRoutes: readonly FrontRoute[] = [
  '/v1/messages/count_tokens',
  '/messages/count_tokens',
].map((path) => ({
  method: 'POST',
  path,
  summary: 'How many input tokens a request has, in the Anthropic Messages dialect',
  async handle(received, _params, services) {
    const request = decodeRequestBody(parseJsonBody(received.body), received.headers);
    const counted = await services.countTokens(request);
    if (counted !== undefined) return { status: 200, body: { input_tokens: counted } };
    return {
      status: 200,
      headers: { 'x-crosspoint-estimated': 'true' },
      body: { input_tokens: estimateInputTokens(request), estimated: true },
    };
  },
}));

/** Anthropic's rule of thumb is width × height / 750, at most about this much; the size is not known here. */
const TOKENS_PER_IMAGE = 1600;
/** A page of a PDF costs 1,500 to 3,000 tokens and takes about this many characters of base64. */
const FILE_CHARACTERS_PER_TOKEN = 40;
/** Roles, separators and the like, per message. */
const MESSAGE_CHARACTERS = 16;

/** Rough, never zero: four characters a token, pictures at their usual price. */
export function estimateInputTokens(request: TurnRequest): number {
  let characters = 0;
  let media = 0;
  const add = (part: Part): void => {
    const size = measure(part, add);
    characters += size.characters;
    media += size.tokens;
  };
  for (const message of request.messages) {
    characters += MESSAGE_CHARACTERS;
    for (const part of message.content) add(part);
  }
  for (const tool of request.tools) characters += JSON.stringify(tool).length;
  return estimateTokens(characters) + media;
}

function measure(part: Part, add: (inner: Part) => void): { characters: number; tokens: number } {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return { characters: part.text.length, tokens: 0 };
    case 'reasoning':
      return { characters: part.text.length + (part.encrypted?.length ?? 0), tokens: 0 };
    case 'tool-call':
      return { characters: part.name.length + part.argumentsText.length, tokens: 0 };
    case 'tool-result':
      for (const inner of part.content) add(inner);
      return { characters: MESSAGE_CHARACTERS, tokens: 0 };
    case 'image':
      return { characters: 0, tokens: TOKENS_PER_IMAGE };
    case 'file':
    case 'audio': {
      const size = part.source.type === 'base64' ? part.source.data.length : 0;
      return {
        characters: 0,
        tokens: Math.max(TOKENS_PER_IMAGE, Math.ceil(size / FILE_CHARACTERS_PER_TOKEN)),
      };
    }
    case 'opaque':
      return { characters: JSON.stringify(part.value).length, tokens: 0 };
    default:
      return part satisfies never;
  }
}

import { invalidRequest, type JsonObject } from '../../core/index.ts';

export type BodyShape = 'chat' | 'responses';

/**
 * Which of the two dialects a body speaks as a whole. Cursor posts both to the same path, and some builds fill both
 * keys: a real `input` beside an empty `messages`, or real `messages` beside an `input` that lacks the tool results.
 */
export function classifyBody(body: JsonObject): BodyShape {
  const { messages, input, instructions } = body;
  if (Array.isArray(messages) && messages.length > 0) return 'chat';
  if (typeof input === 'string' || Array.isArray(input)) return 'responses';
  const hasNoMessages = messages === undefined || messages === null;
  if (hasNoMessages && typeof instructions === 'string' && instructions !== '') return 'responses';
  throw invalidRequest(
    'The request holds no conversation: `messages` must be an array with at least one message (or `input` a string or an array of items).',
    'messages',
    'missing_required_parameter',
  );
}

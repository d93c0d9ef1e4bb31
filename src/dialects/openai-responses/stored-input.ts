// `previous_response_id` and `item_reference`: the client names what the server keeps. Here the names are replaced by
// what they stand for, so that any upstream can answer. Error texts and codes as OpenAI gives them.
import {
  GatewayError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type TurnRequest,
} from '../../core/index.ts';
import { expectArray, optionalString } from '../../wire/expect-field.ts';
import { INPUT_IS_COMPLETE } from './encode-request.ts';
import { OPENAI_RESPONSES } from './schema.ts';

/** One finished turn as it is kept. */
export interface StoredResponse {
  readonly id: string;
  /** Everything the model was given, earlier turns included; each item has an id. */
  readonly input: readonly JsonObject[];
  readonly output: readonly JsonObject[];
  /** The whole response object. */
  readonly response: JsonObject;
}

export interface StoredLookup {
  response(id: string): Promise<StoredResponse | undefined>;
  item(id: string): Promise<JsonObject | undefined>;
}

export interface ResolvedInput {
  /** The request with a complete `input` and without `previous_response_id`. */
  readonly body: JsonObject;
  readonly previousResponseId?: string;
}

export async function resolveStoredInput(body: JsonObject, lookup: StoredLookup): Promise<ResolvedInput> {
  const previousResponseId = optionalString(body.previous_response_id, 'previous_response_id');
  const hasReferences = Array.isArray(body.input) && body.input.some(isReference);
  if (previousResponseId === undefined && !hasReferences) return { body };
  const earlier = previousResponseId === undefined ? [] : await earlierItems(previousResponseId, lookup);
  const known = new Map(earlier.map((item) => [item.id, item] as const));
  const input: JsonValue[] = [...earlier];
  for (const [index, item] of inputItems(body.input).entries()) {
    if (!isReference(item)) input.push(item);
    // What the previous response brings already is not said twice.
    else if (!known.has(item.id)) input.push(await referencedItem(item.id, `input[${index}].id`, lookup));
  }
  const { previous_response_id: _id, ...rest } = body;
  const resolved = { ...rest, input };
  return previousResponseId === undefined ? { body: resolved } : { body: resolved, previousResponseId };
}

/** Lets the answer name the response it continues, although the request that goes upstream no longer does. */
export function withPreviousResponseId(request: TurnRequest, id: string): TurnRequest {
  const kept = request.extra?.[OPENAI_RESPONSES];
  const own = { ...kept, previous_response_id: id, [INPUT_IS_COMPLETE]: true };
  return { ...request, extra: { ...request.extra, [OPENAI_RESPONSES]: own } };
}

/** The items of an input; a bare string is one user message. */
export function inputItems(input: JsonValue | undefined): JsonValue[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string') {
    return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: input }] }];
  }
  return expectArray(input, 'input');
}

async function earlierItems(id: string, lookup: StoredLookup): Promise<JsonObject[]> {
  const previous = await lookup.response(id);
  if (previous) return [...previous.input, ...previous.output];
  throw new GatewayError('not-found', `Previous response with id '${id}' not found.`, {
    detail: { param: 'previous_response_id', reason: 'previous_response_not_found' },
  });
}

async function referencedItem(id: string, param: string, lookup: StoredLookup): Promise<JsonObject> {
  const item = await lookup.item(id);
  if (item) return item;
  throw new GatewayError('not-found', `Item with id '${id}' not found.`, { detail: { param } });
}

/** OpenAI lets `type` be left out; an item with nothing but an id can only be a reference. */
function isReference(item: JsonValue): item is JsonObject & { id: string } {
  if (!isJsonObject(item) || typeof item.id !== 'string') return false;
  const isBare = item.type === undefined || item.type === null;
  return item.type === 'item_reference' || (isBare && item.role === undefined);
}

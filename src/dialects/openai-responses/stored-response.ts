// What is kept of a finished turn, and the bodies that show it: retrieve, list input items, delete. Shapes as OpenAI
// sends them. Pure: where the records live is somebody else's business.
import {
  GatewayError,
  type IdSource,
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../core/index.ts';
import { inputItems, type StoredResponse } from './stored-input.ts';

const ID_PREFIXES: Readonly<Record<string, string>> = {
  message: 'msg_',
  reasoning: 'rs_',
  function_call: 'fc_',
  function_call_output: 'fc_',
  custom_tool_call: 'ctc_',
  custom_tool_call_output: 'ctc_',
  compaction: 'cmp_',
};

/** `input` is the complete input of the turn (see `resolveStoredInput`), `response` what the client was sent. */
export function makeStoredResponse(
  response: JsonObject,
  input: JsonValue | undefined,
  newId: IdSource,
): StoredResponse {
  const output = Array.isArray(response.output) ? response.output.filter(isJsonObject) : [];
  return { id: String(response.id), input: withIds(inputItems(input), newId), output, response };
}

/** False when the client or the answer says that nothing is to be kept. */
export function isToBeStored(response: JsonObject): boolean {
  return response.store !== false && (response.status === 'completed' || response.status === 'incomplete');
}

function withIds(items: readonly JsonValue[], newId: IdSource): JsonObject[] {
  return items.filter(isJsonObject).map((item) => {
    const type = typeof item.type === 'string' ? item.type : 'message';
    const id = typeof item.id === 'string' && item.id !== '' ? item.id : newId(ID_PREFIXES[type] ?? 'item_');
    const content = typeof item.content === 'string' ? [textContent(item.role, item.content)] : item.content;
    return { ...item, type, id, ...(content === undefined ? {} : { content }) };
  });
}

function textContent(role: JsonValue | undefined, text: string): JsonObject {
  return role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text };
}

const MAX_PAGE = 100;
const DEFAULT_PAGE = 20;

/** The body of GET /v1/responses/{id}/input_items. */
export function encodeInputItemList(stored: StoredResponse, query: URLSearchParams): JsonObject {
  const limit = readLimit(query.get('limit'));
  const order = query.get('order') ?? 'desc';
  if (order !== 'asc' && order !== 'desc') {
    throw invalidRequest(
      `\`order\` must be asc or desc, not ${JSON.stringify(order.slice(0, 40))}.`,
      'order',
    );
  }
  const items = order === 'asc' ? [...stored.input] : [...stored.input].reverse();
  const after = query.get('after');
  const start = after === null ? 0 : items.findIndex((item) => item.id === after) + 1;
  if (after !== null && start === 0) {
    throw new GatewayError('not-found', `Item with id '${after}' not found.`, { detail: { param: 'after' } });
  }
  const data = items.slice(start, start + limit);
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + limit < items.length,
  };
}

function readLimit(value: string | null): number {
  if (value === null) return DEFAULT_PAGE;
  const limit = Number(value);
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_PAGE) {
    throw invalidRequest(
      `\`limit\` must be a whole number from 1 to ${MAX_PAGE}, not ${JSON.stringify(value.slice(0, 40))}.`,
      'limit',
    );
  }
  return limit;
}

/** The body of DELETE /v1/responses/{id}. */
export function encodeDeleted(id: string): JsonObject {
  return { id, object: 'response', deleted: true };
}

/** The refusal of an id that nothing is kept under. */
export function responseNotFound(id: string): GatewayError {
  return new GatewayError('not-found', `Response with id '${id}' not found.`, { detail: { param: 'id' } });
}

/** Only background responses can be cancelled, and there are none here: an answer lives as long as its request. */
export function cannotCancel(id: string): GatewayError {
  return invalidRequest(
    `Response '${id}' cannot be cancelled: only background responses can. Close the connection of the request instead.`,
    'id',
  );
}

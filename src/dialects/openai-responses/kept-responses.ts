// Server-held state of the Responses dialect, on the caller's shelf of documents: finished responses under their id,
// and each of their output items under its own, because `item_reference` names items.
import { isJsonObject, type JsonObject } from '../../core/index.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { DocumentShelf, FrontRequest, FrontServices, KeptTurn, PreparedRequest } from '../dialect.ts';
import {
  resolveStoredInput,
  type StoredLookup,
  type StoredResponse,
  withPreviousResponseId,
} from './stored-input.ts';
import { isToBeStored, makeStoredResponse, responseNotFound } from './stored-response.ts';

const RESPONSE = 'openai-response';
const ITEM = 'openai-response-item';

/** The request with everything it refers to written out. */
export async function prepareRequest(
  received: FrontRequest,
  services: FrontServices,
): Promise<PreparedRequest> {
  const body = parseJsonBody(received.body);
  const resolved = await resolveStoredInput(body, lookupOn(services.documents));
  if (resolved.body === body) return { request: received };
  const { previousResponseId } = resolved;
  return {
    request: { ...received, body: Buffer.from(JSON.stringify(resolved.body)) },
    ...(previousResponseId === undefined
      ? {}
      : { complete: (turn) => withPreviousResponseId(turn, previousResponseId) }),
  };
}

export async function keepAnswer(
  response: JsonObject,
  turn: KeptTurn,
  services: FrontServices,
): Promise<void> {
  if (turn.request.store === false || !isToBeStored(response)) return;
  const { input } = parseJsonBody(turn.body);
  const stored = makeStoredResponse(response, input, services.newId);
  await services.documents.put(RESPONSE, stored.id, {
    ...stored,
    input: [...stored.input],
    output: [...stored.output],
  });
  for (const item of stored.output) {
    if (typeof item.id === 'string') await services.documents.put(ITEM, item.id, item);
  }
}

/** Throws `not-found` as OpenAI words it. */
export async function requireResponse(documents: DocumentShelf, id: string): Promise<StoredResponse> {
  const stored = await lookupOn(documents).response(id);
  if (!stored) throw responseNotFound(id);
  return stored;
}

export async function forgetResponse(documents: DocumentShelf, id: string): Promise<void> {
  const stored = await requireResponse(documents, id);
  await documents.delete(RESPONSE, id);
  for (const item of stored.output) if (typeof item.id === 'string') await documents.delete(ITEM, item.id);
}

export function lookupOn(documents: DocumentShelf): StoredLookup {
  return {
    item: (id) => documents.get(ITEM, id),
    async response(id) {
      const document = await documents.get(RESPONSE, id);
      return document && readStored(document);
    },
  };
}

function readStored({ id, input, output, response }: JsonObject): StoredResponse | undefined {
  if (typeof id !== 'string' || !isJsonObject(response)) return undefined;
  const items = (list: unknown) => (Array.isArray(list) ? list.filter(isJsonObject) : []);
  return { id, input: items(input), output: items(output), response };
}

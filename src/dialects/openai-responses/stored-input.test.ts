import { describe, expect, it } from 'vitest';
import { countingIds, foldTurn, type JsonObject } from '../../core/index.ts';
import { decodeRequestBody } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResult } from './encode-result.ts';
import {
  resolveStoredInput,
  type StoredLookup,
  type StoredResponse,
  withPreviousResponseId,
} from './stored-input.ts';
import { encodeDeleted, encodeInputItemList, isToBeStored, makeStoredResponse } from './stored-response.ts';

const output = {
  type: 'message',
  id: 'msg_out',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello' }],
};
const response: JsonObject = { id: 'resp_1', object: 'response', status: 'completed', output: [output] };
const stored = makeStoredResponse(response, 'Hi', countingIds());

const lookup: StoredLookup = {
  response: async (id) => (id === 'resp_1' ? stored : undefined),
  item: async (id) => (id === 'msg_out' ? output : undefined),
};

describe('a request that names what is kept', () => {
  it('gets the earlier input and output before its own', async () => {
    const body = {
      model: 'm',
      previous_response_id: 'resp_1',
      input: [{ role: 'user', content: 'More' }],
      store: true,
    };
    const resolved = await resolveStoredInput(body, lookup);
    expect(resolved).toEqual({
      previousResponseId: 'resp_1',
      body: {
        model: 'm',
        store: true,
        input: [
          { type: 'message', role: 'user', id: 'msg_1', content: [{ type: 'input_text', text: 'Hi' }] },
          output,
          { role: 'user', content: 'More' },
        ],
      },
    });
    expect(body.previous_response_id).toBe('resp_1');
  });

  it('gets its references replaced (AI SDK), also without a type', async () => {
    const input = [
      { type: 'item_reference', id: 'msg_out' },
      { id: 'msg_out' },
      { role: 'user', content: 'x' },
    ];
    const { body } = await resolveStoredInput({ input }, lookup);
    expect(body.input).toEqual([output, output, { role: 'user', content: 'x' }]);
  });

  it('is not told twice what the previous response brings already', async () => {
    const input = [{ type: 'item_reference', id: 'msg_out' }];
    const { body } = await resolveStoredInput({ previous_response_id: 'resp_1', input }, lookup);
    expect(body.input).toHaveLength(2);
  });

  it('is left alone when it names nothing', async () => {
    const body = { model: 'm', input: 'Hi' };
    expect((await resolveStoredInput(body, lookup)).body).toBe(body);
  });

  it('is refused in the words of OpenAI when nothing is kept under the name', async () => {
    await expect(resolveStoredInput({ previous_response_id: 'resp_9' }, lookup)).rejects.toMatchObject({
      code: 'not-found',
      message: "Previous response with id 'resp_9' not found.",
      detail: { param: 'previous_response_id', reason: 'previous_response_not_found' },
    });
    const input = [{ type: 'item_reference', id: 'msg_9' }];
    await expect(resolveStoredInput({ input }, lookup)).rejects.toMatchObject({
      code: 'not-found',
      message: "Item with id 'msg_9' not found.",
    });
  });

  it('still says in its answer what it continues, but not to the upstream', async () => {
    const { body } = await resolveStoredInput(
      { model: 'm', previous_response_id: 'resp_1', input: 'x' },
      lookup,
    );
    const request = withPreviousResponseId(decodeRequestBody(body), 'resp_1');
    const context = { turnId: 't', request, model: 'm', nowMs: 0, newId: countingIds() };
    expect(encodeResult(foldTurn([]), context)).toMatchObject({ previous_response_id: 'resp_1' });
    const sent = encodeRequest(request).body;
    expect(sent).not.toHaveProperty('previous_response_id');
    expect(sent).not.toHaveProperty('input_is_complete');
  });
});

describe('a stored response', () => {
  const three = makeStoredResponse(
    response,
    [
      { role: 'user', content: 'a' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', id: 'fc_own', call_id: 'c', output: '1' },
    ],
    countingIds(),
  );
  const list = (query: string, from: StoredResponse = three) =>
    encodeInputItemList(from, new URLSearchParams(query));

  it('gives every input item an id', () => {
    expect(three.input.map(({ id }) => id)).toEqual(['msg_1', 'fc_2', 'fc_own']);
  });

  it('lists its input newest first, page by page', () => {
    expect(list('limit=2')).toMatchObject({
      object: 'list',
      data: [{ id: 'fc_own' }, { id: 'fc_2' }],
      first_id: 'fc_own',
      last_id: 'fc_2',
      has_more: true,
    });
    expect(list('limit=2&after=fc_2')).toMatchObject({ data: [{ id: 'msg_1' }], has_more: false });
    expect(list('order=asc')).toMatchObject({ first_id: 'msg_1', last_id: 'fc_own', has_more: false });
    expect(list('order=asc&after=fc_own')).toMatchObject({ data: [], first_id: null, last_id: null });
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=many', 'limit'],
    ['order=up', 'order'],
    ['after=nothing', 'after'],
  ])('refuses the query %s', (query, param) => {
    expect(() => list(query)).toThrowError(expect.objectContaining({ detail: { param } }));
  });

  it('is deleted in the words of OpenAI', () => {
    expect(encodeDeleted('resp_1')).toEqual({ id: 'resp_1', object: 'response', deleted: true });
  });

  it('is kept unless the client or the outcome says otherwise', () => {
    expect(isToBeStored(response)).toBe(true);
    expect(isToBeStored({ ...response, store: false })).toBe(false);
    expect(isToBeStored({ ...response, status: 'failed' })).toBe(false);
  });
});

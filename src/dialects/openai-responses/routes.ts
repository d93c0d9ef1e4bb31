// What the Responses dialect has beside turns: kept responses, and compaction by a summarising turn.
import { parseJsonBody } from '../../wire/json.ts';
import type { FrontRoute } from '../dialect.ts';
import { buildSummaryTurn, decodeCompactRequest, encodeCompaction } from './compaction.ts';
import { forgetResponse, lookupOn, requireResponse } from './kept-responses.ts';
import { resolveStoredInput } from './stored-input.ts';
import { cannotCancel, encodeDeleted, encodeInputItemList } from './stored-response.ts';

export const responsesRoutes: readonly FrontRoute[] = [
  {
    method: 'POST',
    path: '/v1/responses/compact',
    summary: 'A shorter conversation that stands for a long one',
    async handle({ body }, _params, services) {
      const resolved = await resolveStoredInput(parseJsonBody(body), lookupOn(services.documents));
      const request = decodeCompactRequest(resolved.body);
      const result = await services.runTurn(buildSummaryTurn(request));
      const { nowMs, newId } = services;
      return { status: 200, body: encodeCompaction(result, { request, nowMs, newId }) };
    },
  },
  {
    method: 'GET',
    path: '/v1/responses/:id',
    summary: 'A kept response',
    async handle(_request, { id = '' }, { documents }) {
      return { status: 200, body: (await requireResponse(documents, id)).response };
    },
  },
  {
    method: 'DELETE',
    path: '/v1/responses/:id',
    summary: 'Forget a kept response',
    async handle(_request, { id = '' }, { documents }) {
      await forgetResponse(documents, id);
      return { status: 200, body: encodeDeleted(id) };
    },
  },
  {
    method: 'GET',
    path: '/v1/responses/:id/input_items',
    summary: 'What a kept response was made from',
    async handle({ query }, { id = '' }, { documents }) {
      return { status: 200, body: encodeInputItemList(await requireResponse(documents, id), query) };
    },
  },
  {
    method: 'POST',
    path: '/v1/responses/:id/cancel',
    summary: 'Refused: only background responses can be cancelled so, and this gateway has none',
    async handle(_request, { id = '' }, { documents }) {
      await requireResponse(documents, id);
      throw cannotCancel(id);
    },
  },
];

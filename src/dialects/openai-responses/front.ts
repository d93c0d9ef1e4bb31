// What clients of the Responses dialect see: requests in, events, response objects and errors out.
import { SSE_KEEP_ALIVE } from '../../wire/sse.ts';
import type { Front } from '../dialect.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResult } from './encode-result.ts';
import { encodeError } from './errors.ts';
import { keepAnswer, prepareRequest } from './kept-responses.ts';
import { responsesRoutes } from './routes.ts';
import { OPENAI_RESPONSES } from './schema.ts';
import { ResponsesTurnEncoder } from './turn-encoder.ts';

export const openaiResponsesFront: Front = {
  dialect: OPENAI_RESPONSES,
  turnPaths: ['/v1/responses', '/responses'],
  routes: responsesRoutes,
  prepare: prepareRequest,
  decodeRequest,
  createEncoder: (context) => new ResponsesTurnEncoder(context),
  encodeResult,
  encodeError,
  keepAnswer,
  keepAlive: SSE_KEEP_ALIVE,
  streamContentType: 'text/event-stream; charset=utf-8',
};

// What clients of the Messages API see: requests in, events, messages and errors out.
import type { Front } from '../dialect.ts';
import { countTokensRoutes } from './count-tokens.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResult } from './encode-result.ts';
import { encodeError } from './errors.ts';
import { PING } from './event-frame.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';
import { MessagesTurnEncoder } from './turn-encoder.ts';

export const anthropicMessagesFront: Front = {
  dialect: ANTHROPIC_MESSAGES,
  turnPaths: ['/v1/messages', '/messages'],
  routes: countTokensRoutes,
  decodeRequest,
  createEncoder: (context) => new MessagesTurnEncoder(context),
  encodeResult,
  encodeError,
  keepAlive: PING,
  streamContentType: 'text/event-stream; charset=utf-8',
};

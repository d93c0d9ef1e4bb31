// What clients of the chat dialect see: requests in, chunks, completions and errors out.
import { SSE_KEEP_ALIVE } from '../../wire/sse.ts';
import type { Front } from '../dialect.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeResult } from './encode-result.ts';
import { encodeError } from './errors.ts';
import { OPENAI_CHAT } from './schema.ts';
import { ChatTurnEncoder } from './turn-encoder.ts';

export const openaiChatFront: Front = {
  dialect: OPENAI_CHAT,
  turnPaths: ['/v1/chat/completions', '/chat/completions'],
  decodeRequest,
  createEncoder: (context) => new ChatTurnEncoder(context),
  encodeResult,
  encodeError,
  keepAlive: SSE_KEEP_ALIVE,
  streamContentType: 'text/event-stream; charset=utf-8',
};

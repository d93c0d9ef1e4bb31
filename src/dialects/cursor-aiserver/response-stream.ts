import { create, type MessageInitShape } from '@bufbuild/protobuf';
import {
  StreamUnifiedChatResponseSchema,
  type StreamUnifiedChatResponseWithTools,
  StreamUnifiedChatResponseWithToolsSchema,
} from '../../gen/aiserver/v1/chat_response_pb.ts';

/** Proxies close streams that are silent for longer; what clients themselves bear is not known. */
export const SILENCE_MS = 10_000;

export type ResponseWithTools = StreamUnifiedChatResponseWithTools;
export type ChatResponseInit = MessageInitShape<typeof StreamUnifiedChatResponseSchema>;
type Wrapped = ResponseWithTools['response'];

/** Where the messages of one answer go, whichever form of the call carries them. */
export interface ResponseStream {
  /** Resolves when there is room for more: true, or false when the client is gone for good. */
  send(message: ResponseWithTools): Promise<boolean>;
}

export function wrap(response: Wrapped): ResponseWithTools {
  return create(StreamUnifiedChatResponseWithToolsSchema, { response });
}

/** Most of an answer is an ordinary chat response inside the wrapper. */
export function chatResponse(fields: ChatResponseInit): ResponseWithTools {
  return wrap({
    case: 'streamUnifiedChatResponse',
    value: create(StreamUnifiedChatResponseSchema, fields),
  });
}

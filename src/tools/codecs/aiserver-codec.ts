import type {
  ClientSideToolV2Call,
  ClientSideToolV2Result,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import {
  decodeClientSideCall,
  decodeClientSideResult,
  encodeClientSideCall,
  encodeClientSideResult,
} from './client-side-messages.ts';
import type { ToolCodec } from './tool-codec.ts';

/** The messages of aiserver.v1 seen as any other wire: tools and arguments alone, without what is around them. */
export const aiserverCodec: ToolCodec<ClientSideToolV2Call, ClientSideToolV2Result> = {
  encodeCall: (name, args, { callId }) => encodeClientSideCall({ callId, name, args }),
  decodeCall(message) {
    const { callId, number, name, args } = decodeClientSideCall(message);
    return { callId, number, name, args };
  },
  encodeResult: (name, outcome, options) => encodeClientSideResult({ ...options, name, outcome }),
  decodeResult(message) {
    const { callId, number, name, outcome } = decodeClientSideResult(message);
    return { callId, number, name, outcome };
  },
};

export { agentCodec } from './agent-codec.ts';
export { aiserverCodec } from './aiserver-codec.ts';
export type {
  ArgumentCall,
  CallIdentity,
  ClientSideCall,
  ClientSideResult,
  Numbered,
  StreamedBackCall,
} from './client-side-call.ts';
export {
  decodeClientSideCall,
  decodeClientSideResult,
  encodeClientSideCall,
  encodeClientSideResult,
} from './client-side-messages.ts';
export {
  decodePartialCall,
  decodeStreamedBackCall,
  decodeStreamedBackSummary,
  encodePartialCall,
  encodeStreamedBackCall,
  encodeStreamedBackSummary,
} from './streamed-back-messages.ts';
export type {
  CallOptions,
  DecodedCall,
  DecodedResult,
  Encoded,
  ResultOptions,
  ToolCodec,
} from './tool-codec.ts';

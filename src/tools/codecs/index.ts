export { agentCodec } from './agent-codec.ts';
export { aiserverCodec } from './aiserver-codec.ts';
export type {
  CallOptions,
  DecodedCall,
  DecodedResult,
  Encoded,
  ResultOptions,
  ToolCodec,
} from './tool-codec.ts';

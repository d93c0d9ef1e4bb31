export * from './agent-run.ts';
export { ERROR_CODES, type ErrorCode, type ErrorDetail, GatewayError, invalidRequest } from './errors.ts';
export { FINISH_REASONS, type FinishReason } from './finish-reason.ts';
export { countingIds, type IdSource, randomId } from './ids.ts';
export {
  type Extra,
  isJsonObject,
  isTooDeep,
  type JsonObject,
  type JsonValue,
  MAX_JSON_DEPTH,
} from './json.ts';
export type {
  AudioPart,
  CacheHint,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  OpaquePart,
  Part,
  ReasoningPart,
  RefusalPart,
  Role,
  TextPart,
  ToolCallKind,
  ToolCallPart,
  ToolResultPart,
} from './message.ts';
export { textOf } from './message.ts';
export { nearestName } from './nearest-name.ts';
export { omitUndefined } from './omit-undefined.ts';
export type {
  CustomFormat,
  CustomTool,
  FunctionTool,
  HostedTool,
  ToolChoice,
  ToolDefinition,
  ToolReference,
} from './tool-definition.ts';
export {
  type CallHead,
  completeCall,
  MAX_ARGUMENT_CHARACTERS,
  parseArguments,
  ToolInputs,
} from './tool-input.ts';
export * from './turn-event.ts';
export { findGrammarProblem, TurnGrammar } from './turn-grammar.ts';
export type {
  ModelAlternative,
  OutputFormat,
  ReasoningOptions,
  SamplingOptions,
  TurnRequest,
} from './turn-request.ts';
export { foldTurn, TurnFold, type TurnResult } from './turn-result.ts';
export { TurnSpans } from './turn-spans.ts';
export { addUsage, estimatedUsage, estimateTokens, NO_USAGE, type Usage } from './usage.ts';

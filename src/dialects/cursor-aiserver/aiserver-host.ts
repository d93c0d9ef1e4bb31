// What the front needs from whoever joins it to the loop, to the models and to the tools. A dialect knows no tools, so
// their descriptions and the codec of their messages are handed in.
import type {
  AgentEvent,
  AgentTask,
  FilePart,
  ImagePart,
  JsonObject,
  JsonValue,
  Mode,
  ModelAlternative,
  Parallel,
  ToolDefinition,
  ToolPort,
  TurnRequest,
  TurnResult,
} from '../../core/index.ts';
import type {
  ClientSideToolV2Call,
  ClientSideToolV2Result,
  StreamedBackPartialToolCall,
  StreamedBackToolCallV2,
} from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import type { NativeContext } from '../native-front.ts';

/** Where a run's model is when the request itself says so. */
export interface ClientUpstream {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The server is Azure's: its address holds a deployment and the key travels in a header of its own. */
  readonly azureDeployment?: string;
}

export interface AiserverRun {
  readonly task: AgentTask;
  readonly tools: ToolPort;
  readonly clientUpstream?: ClientUpstream;
  readonly signal: AbortSignal;
}

export interface ListedModel {
  readonly id: string;
  readonly contextWindow?: number;
}

/** A built-in tool that the client can run. */
export interface OfferedTool {
  /** What the model reads; `definition.name` is what it calls. */
  readonly definition: ToolDefinition;
  /** The number of `ClientSideToolV2` under which its calls travel. */
  readonly number: number;
  /** The name by which the codec knows it. */
  readonly name: string;
  /** `alone` unless given. */
  readonly parallel?: Parallel;
  /** False unless given. */
  readonly isReadOnly?: boolean;
}

/** Arguments as the codec takes them, or what is wrong with them in words for the model. */
export type ReadArguments =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly message: string };

export interface AiserverHost {
  runAgent(run: AiserverRun, context: NativeContext): AsyncIterable<AgentEvent>;
  /** One turn beside the run: a summary. */
  runTurn(request: TurnRequest, context: NativeContext): Promise<TurnResult>;
  /** The models this caller may use, the default one first. */
  listModels(context: NativeContext): Promise<readonly ListedModel[]>;
  /** Other readings of a model name, for clients that write choices into it. */
  listModelAlternatives(model: string): readonly ModelAlternative[];
  /** The tools of a mode whose calls travel under one of these numbers. MCP tools are not among them. */
  defineTools(mode: Mode, supportedNumbers: readonly number[]): readonly OfferedTool[];
  /** `name` is the codec's; `input` is parsed JSON, or plain text for tools that take text. */
  readArguments(name: string, input: JsonValue | undefined): ReadArguments;
  readonly messages: ToolMessages;
}

/** What every message about one call repeats. */
export interface WireIdentity {
  /** As it came; some hold a line break. */
  readonly callId: string;
  readonly name: string;
  readonly number?: number;
  /** What the model called it. */
  readonly modelName?: string;
  readonly toolIndex?: number;
  readonly modelCallId?: string;
}

export interface WireArguments extends WireIdentity {
  readonly args: JsonObject;
  readonly rawArgs?: string;
}

export interface WireCall extends WireArguments {
  readonly timeoutMs?: number;
  readonly isStreaming?: boolean;
  readonly isLast?: boolean;
}

export interface WireFailure {
  readonly ok: false;
  readonly error: { readonly code: 'EINVAL' | 'ECANCELED' | 'FAILED'; readonly message: string };
}

export interface ShownCall extends WireArguments {
  readonly failure?: WireFailure;
}

/** What came of a call, as far as the front reads it. */
export type WireOutcome =
  | { readonly ok: true; readonly content: string; readonly parts?: readonly (ImagePart | FilePart)[] }
  | { readonly ok: false; readonly error: { readonly message: string } };

export interface WireResult extends WireIdentity {
  readonly outcome: WireOutcome;
}

/** A message, and the arguments that it has no place for. */
export interface EncodedMessage<Message> {
  readonly message: Message;
  readonly lost: readonly string[];
}

/** The codec of whole tool messages. Encoders throw for unknown names, decoders for unknown numbers. */
export interface ToolMessages {
  encodeCall(call: WireCall): EncodedMessage<ClientSideToolV2Call>;
  decodeCall(message: ClientSideToolV2Call): WireCall;
  decodeResult(message: ClientSideToolV2Result): WireResult;
  encodeShownCall(call: ShownCall): EncodedMessage<StreamedBackToolCallV2>;
  encodePartialCall(call: WireIdentity): StreamedBackPartialToolCall;
}

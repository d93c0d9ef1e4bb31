// aiserver.v1: a tool call on its way to the client, in the order of public clients' notes: `partial_tool_call` as soon as
// the model begins it, `client_side_tool_v2_call` to run it, `tool_call_v2` to show it. Tools that a client streams get
// their call repeated while the model writes it, each time with all of the text so far in `raw_args`.
import { type AgentCall, type JsonObject, omitUndefined } from '../../core/index.ts';
import type { ClientSideToolV2Call } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import type { ToolMessages, WireFailure, WireIdentity } from './aiserver-host.ts';
import { chatResponse, type ResponseStream, type ResponseWithTools, wrap } from './response-stream.ts';
import type { ShelvedTool } from './tool-shelf.ts';

/** Web search, both edits, follow-ups of background agents, mode switches; MCP tools refuse it. */
const STREAMING_NUMBERS: ReadonlySet<number> = new Set([7, 18, 24, 38, 52]);

/** An edit of which nothing can be said, such as a patch over several files, must not become an edit of nothing. */
const EDIT_NUMBERS: ReadonlySet<number> = new Set([7, 38]);

/** A repeat is worth sending when the text grew by this much and by an eighth: all repeats together stay linear. */
const MIN_GROWTH = 64;

interface OpenCall {
  readonly identity: WireIdentity;
  readonly tool: ShelvedTool;
  text: string;
  sentCharacters: number;
  isSent: boolean;
  isShown: boolean;
}

export interface ExecutableCall {
  readonly call: AgentCall;
  readonly tool: ShelvedTool;
  readonly args: JsonObject;
  readonly timeoutMs?: number | undefined;
}

export interface PreparedCall {
  readonly wireId: string;
  /** Arguments that the client is not told. */
  readonly lost: readonly string[];
  readonly canBeRun: boolean;
  send(): Promise<void>;
}

export interface CallWriterOptions {
  readonly stream: ResponseStream;
  readonly messages: ToolMessages;
  readonly wireIdOf: (callId: string) => string;
  /** False: every call is one message. */
  readonly streamsCalls: boolean;
  readonly onDrift: (kind: string) => void;
}

export class CallWriter {
  readonly #options: CallWriterOptions;
  readonly #open = new Map<string, OpenCall>();
  #modelCallId = '';

  constructor(options: CallWriterOptions) {
    this.#options = options;
  }

  /** The calls from now on belong to another answer of the model. */
  startStep(modelCallId: string): void {
    this.#modelCallId = modelCallId;
    this.#open.clear();
  }

  /** The model has begun a call. */
  begin(callId: string, tool: ShelvedTool): Promise<boolean> {
    const { messages, stream } = this.#options;
    const identity: WireIdentity = {
      callId: this.#options.wireIdOf(callId),
      name: tool.name,
      number: tool.number,
      modelName: tool.definition.name,
      // Guessed: that calls of one answer count from 1, as in the history that public gateways send.
      toolIndex: this.#open.size + 1,
      modelCallId: this.#modelCallId,
    };
    const open = { identity, tool, text: '', sentCharacters: 0, isSent: false, isShown: false };
    this.#open.set(callId, open);
    return stream.send(chatResponse({ partialToolCall: messages.encodePartialCall(identity) }));
  }

  append(callId: string, text: string): void {
    const open = this.#open.get(callId);
    if (open) open.text += text;
  }

  /** Sends what the model wrote since the last time, for tools that are streamed. */
  async flush(): Promise<void> {
    if (!this.#options.streamsCalls) return;
    for (const open of this.#open.values()) {
      const grown = open.text.length - open.sentCharacters;
      const isWorthIt = grown >= Math.max(MIN_GROWTH, open.sentCharacters / 8);
      if (open.isSent || !isWorthIt || !STREAMING_NUMBERS.has(open.tool.number)) continue;
      open.sentCharacters = open.text.length;
      const call = { ...open.identity, args: {}, rawArgs: open.text, isStreaming: true };
      await this.#options.stream.send(executable(this.#options.messages.encodeCall(call).message));
    }
  }

  /** The whole call, ready for the client to run. */
  async prepare(order: ExecutableCall): Promise<PreparedCall> {
    const { call, tool, args, timeoutMs } = order;
    const { messages, stream, onDrift } = this.#options;
    if (!this.#open.has(call.callId)) await this.begin(call.callId, tool);
    const open = this.#open.get(call.callId);
    if (open === undefined) throw new Error(`Call ${call.callId} was not begun.`);
    const whole = { ...open.identity, args, rawArgs: call.argumentsText };
    const wasStreamed = open.sentCharacters > 0;
    const marks = omitUndefined({
      timeoutMs,
      isStreaming: wasStreamed || undefined,
      isLast: wasStreamed || undefined,
    });
    const encoded = messages.encodeCall({ ...whole, ...marks });
    const { message } = encoded;
    // A tool without a slot of its own is told its arguments by `raw_args` alone.
    const lost = message.params.case === undefined ? [] : encoded.lost;
    for (const name of lost) onDrift(`${tool.name}.${name} has no place in its call`);
    const isEmpty = lost.length > 0 && lost.length === Object.keys(args).length;
    const shown = messages.encodeShownCall(whole).message;
    if (tool.mcp) keepArguments([message.params, shown.params], call.argumentsText);
    return {
      wireId: open.identity.callId,
      lost,
      canBeRun: !(isEmpty && EDIT_NUMBERS.has(tool.number)),
      async send() {
        open.isSent = true;
        await stream.send(executable(message));
        open.isShown = true;
        await stream.send(chatResponse({ toolCallV2: shown }));
      },
    };
  }

  isSent(callId: string): boolean {
    return this.#open.get(callId)?.isSent === true;
  }

  /** Closes the picture of a call that the client is not asked to run. */
  async refuse(callId: string, message: string): Promise<void> {
    const open = this.#open.get(callId);
    if (open === undefined || open.isShown) return;
    open.isShown = true;
    open.isSent = true;
    const failure: WireFailure = { ok: false, error: { code: 'EINVAL', message } };
    const call = { ...open.identity, args: {}, rawArgs: open.text, failure };
    const shown = this.#options.messages.encodeShownCall(call).message;
    await this.#options.stream.send(chatResponse({ toolCallV2: shown }));
  }
}

function executable(call: ClientSideToolV2Call): ResponseWithTools {
  return wrap({ case: 'clientSideToolV2Call', value: call });
}

/** Arguments of other people's tools leave as the model wrote them, to the byte. */
function keepArguments(slots: readonly ClientSideToolV2Call['params'][], argumentsText: string): void {
  for (const slot of slots) {
    const [entry] = slot.case === 'mcpParams' ? slot.value.tools : [];
    if (entry && argumentsText.trim() !== '') entry.parameters = argumentsText;
  }
}

// The order of an answer of unified chat, checked on every message: docs/protocols/cursor-aiserver.md. The rules are those
// of public notes on clients; where the notes are silent a client that relies on either reading must still work.
import { equals } from '@bufbuild/protobuf';
import type {
  StreamUnifiedChatResponse,
  StreamUnifiedChatResponseWithTools,
} from '../../../src/gen/aiserver/v1/chat_response_pb.ts';
import {
  type ClientSideToolV2Call,
  ClientSideToolV2CallSchema,
  type StreamedBackPartialToolCall,
  type StreamedBackToolCallV2,
} from '../../../src/gen/aiserver/v1/client_side_tool_pb.ts';
import { chatFields } from './turn-record.ts';

/** The slot in which each tool looks for its arguments. */
const PARAMS_BY_NUMBER: Readonly<Record<number, ClientSideToolV2Call['params']['case']>> = {
  5: 'readFileParams',
  6: 'listDirParams',
  7: 'editFileParams',
  11: 'deleteFileParams',
  15: 'runTerminalCommandV2Params',
  19: 'mcpParams',
  35: 'todoWriteParams',
  38: 'editFileV2Params',
  39: 'listDirV2Params',
  40: 'readFileV2Params',
  41: 'ripgrepRawSearchParams',
  42: 'globFileSearchParams',
  51: 'askQuestionParams',
  52: 'switchModeParams',
};

/** Clients refuse streamed calls of other tools. */
const STREAMED: ReadonlySet<number> = new Set([7, 18, 24, 38, 52]);

interface WatchedCall {
  readonly begun: StreamedBackPartialToolCall;
  text: string;
  whole?: ClientSideToolV2Call;
  isShown: boolean;
  isAnswered: boolean;
}

/** Watches one answer. */
export class Judge {
  readonly violations: string[] = [];
  readonly #calls = new Map<string, WatchedCall>();
  readonly #pastModelCalls = new Set<string>();
  #round: string[] = [];
  #hasStarted = false;
  #isThinking = false;

  see({ response }: StreamUnifiedChatResponseWithTools): void {
    if (!this.#hasStarted && response.case !== 'streamStart')
      this.#object(`${response.case} came before stream_start`);
    switch (response.case) {
      case 'streamStart':
        if (this.#hasStarted) this.#object('a second stream_start');
        this.#hasStarted = true;
        return;
      case 'clientSideToolV2Call':
        this.#seeCall(response.value);
        return;
      case 'streamUnifiedChatResponse':
        this.#seeChat(response.value);
        return;
      case undefined:
        this.#object('a message without content');
    }
  }

  /** The client has sent a result. */
  answered(callId: string): void {
    const call = this.#calls.get(callId);
    if (call) call.isAnswered = true;
  }

  /** The answer has come to its good end. */
  end(): void {
    if (this.#isThinking) this.#object('the answer ended while thinking was open');
    for (const [id, { isShown }] of this.#calls) {
      if (!isShown) this.#object(`the answer ended while the picture of ${id} was open`);
    }
  }

  #seeChat(chat: StreamUnifiedChatResponse): void {
    const fields = chatFields(chat);
    if (fields.length > 1) this.#object(`one message with ${fields.join(' and ')}`);
    if (chat.thinking) {
      this.#isThinking = !chat.thinking.isLastThinkingChunk;
      this.#beginStep('thinking');
    }
    if (chat.text !== '') {
      if (this.#isThinking) this.#object('text came before the last chunk of thinking');
      this.#beginStep('text');
    }
    if (chat.partialToolCall) this.#seePartial(chat.partialToolCall);
    if (chat.toolCallV2) this.#seeShown(chat.toolCallV2);
    if (chat.parallelToolCallsComplete) {
      if (this.#round.length < 2) this.#object('parallel_tool_calls_complete without calls side by side');
      this.#needAnswers('parallel_tool_calls_complete');
      this.#closeRound();
    }
  }

  #seePartial(partial: StreamedBackPartialToolCall): void {
    const { toolCallId: id, modelCallId = '', toolIndex } = partial;
    if (this.#isThinking) this.#object(`${id} was begun before the last chunk of thinking`);
    if (this.#calls.has(id)) this.#object(`${id} was begun twice`);
    if (modelCallId === '') this.#object(`${id} has no model_call_id`);
    const [first] = this.#round;
    const open = first === undefined ? undefined : this.#calls.get(first);
    if (open && open.begun.modelCallId !== modelCallId) {
      this.#beginStep(`partial_tool_call ${id}`);
    }
    if (this.#pastModelCalls.has(modelCallId)) this.#object(`${id} belongs to a round that is over`);
    if (toolIndex !== this.#round.length + 1) this.#object(`${id} has tool_index ${toolIndex}`);
    this.#round.push(id);
    this.#calls.set(id, { begun: partial, text: '', isShown: false, isAnswered: false });
  }

  #seeCall(call: ClientSideToolV2Call): void {
    const { toolCallId: id, tool, params, rawArgs, isStreaming, isLastMessage } = call;
    const known = this.#calls.get(id);
    if (known === undefined) {
      this.#object(`${id} is to be run and was never begun`);
      return;
    }
    const { begun } = known;
    if (begun.tool !== tool || begun.name !== call.name) this.#object(`${id} became another tool`);
    if (begun.modelCallId !== call.modelCallId || begun.toolIndex !== call.toolIndex)
      this.#object(`${id} became another round's`);
    if (known.whole) {
      this.#object(`${id} was sent again after its whole`);
      return;
    }
    if (!rawArgs.startsWith(known.text)) this.#object(`raw_args of ${id} are not cumulative`);
    known.text = rawArgs;
    if (isStreaming && !STREAMED.has(tool)) this.#object(`${id} of tool ${tool} was streamed`);
    if (isStreaming && !isLastMessage) return;
    known.whole = call;
    const expected = PARAMS_BY_NUMBER[tool];
    if (expected !== undefined && params.case !== expected)
      this.#object(`tool ${tool} came with ${params.case} instead of ${expected}`);
    try {
      JSON.parse(rawArgs);
    } catch {
      this.#object(`raw_args of ${id} are no JSON: ${rawArgs}`);
    }
  }

  #seeShown(shown: StreamedBackToolCallV2): void {
    const { toolCallId: id } = shown;
    const known = this.#calls.get(id);
    if (known === undefined) {
      this.#object(`${id} is shown and was never begun`);
      return;
    }
    if (known.isShown) this.#object(`${id} was shown twice`);
    known.isShown = true;
    if (known.whole === undefined) {
      if (shown.error === undefined) this.#object(`${id} is shown as run and was not sent`);
      known.isAnswered = true; // nobody is asked to run it
      return;
    }
    // The same fields under the same names; only their numbers differ.
    const { whole } = known;
    const { params } = shown;
    const pictured = { ...whole, params };
    if (!equals(ClientSideToolV2CallSchema, whole, pictured))
      this.#object(`${id} is shown with other arguments`);
    if (shown.error) this.#object(`${id} was sent and is shown with an error`);
  }

  /** The model speaks again: everything it asked for before has been answered. */
  #beginStep(what: string): void {
    const isRunning = this.#round.some((id) => this.#calls.get(id)?.isShown);
    if (!isRunning) return;
    this.#needAnswers(what);
    if (this.#round.length > 1) this.#object(`${what} came before parallel_tool_calls_complete`);
    this.#closeRound();
  }

  #needAnswers(what: string): void {
    for (const id of this.#round) {
      if (!this.#calls.get(id)?.isAnswered) this.#object(`${what} came before the result of ${id}`);
    }
  }

  #closeRound(): void {
    for (const id of this.#round) this.#pastModelCalls.add(this.#calls.get(id)?.begun.modelCallId ?? '');
    this.#round = [];
  }

  #object(violation: string): void {
    this.violations.push(violation);
  }
}

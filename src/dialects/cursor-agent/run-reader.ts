// The stream side of a run: reads every frame, answers those that want an answer (also while the caller is away running
// tools) and puts what the model says into the queue. Orders of frames: docs/protocols/cursor-agent.md.
import { GatewayError, type JsonValue, type ToolResultPart, type TurnEvent } from '../../core/index.ts';
import type { ConversationStateStructure } from '../../gen/agent/v1/conversation_state_pb.ts';
import type { ExecServerMessage } from '../../gen/agent/v1/exec_pb.ts';
import type { InteractionUpdate, TurnEndedUpdate } from '../../gen/agent/v1/interaction_update_pb.ts';
import type { AgentClientMessage, AgentServerMessage } from '../../gen/agent/v1/run_pb.ts';
import type { AgentRunOptions } from './agent-run.ts';
import { CURSOR_AGENT } from './agent-settings.ts';
import { heartbeatFrame } from './client-frames.ts';
import { decodeUpdate, type UpdateContext } from './decode-update.ts';
import { ExecChannel } from './exec-channel.ts';
import { ExecHeartbeats } from './exec-heartbeats.ts';
import { KvChannel } from './kv-channel.ts';
import type { PendingCall } from './pending-call.ts';
import { answerQuery } from './query-channel.ts';
import { RoundBoundary } from './round-boundary.ts';
import type { RunQueue } from './run-queue.ts';
import { RunUsage } from './run-usage.ts';
import { StreamedInputs } from './streamed-inputs.ts';

const NEVER_COMPLETED = 'The agent backend began a tool call and never completed it.';
const TAKEN_BACK =
  'The agent backend did not have a tool call run, though its arguments had been passed on already. ' +
  'It may forbid the tool; ask again without streaming to get its answer.';
const NOT_AWAITED = 'The agent backend ended the turn before its calls were answered.';
const CUT_SHORT = 'The agent backend closed the stream before the turn had ended.';
const NOTHING_SAID =
  'The agent backend ended the turn without a word: only key-value frames and checkpoints came. ' +
  'It may not have taken the model or a tool schema; try again, or another model.';

export class RunReader {
  readonly usage = new RunUsage();
  readonly #options: AgentRunOptions;
  readonly #queue: RunQueue;
  readonly #inputs: StreamedInputs;
  readonly #exec: ExecChannel;
  readonly #kv: KvChannel;
  readonly #heartbeats: ExecHeartbeats;
  readonly #boundary: RoundBoundary;
  /** Calls that came after the last checkpoint. */
  readonly #uncheckpointed = new Set<string>();
  #checkpoint: ConversationStateStructure | undefined;
  #failure: GatewayError | undefined;
  #isDone = false;
  #hasContent = false;
  #hasText = false;
  #hasAborted = false;
  #isTextCheckpointed = false;

  constructor(options: AgentRunOptions, queue: RunQueue) {
    this.#options = options;
    this.#queue = queue;
    const { plan, progress, blobs, known, timers, newId } = options;
    const { tools, context } = plan;
    this.#inputs = new StreamedInputs(progress);
    this.#exec = new ExecChannel({ tools, context, known, usedCallIds: progress.usedCallIds, newId });
    this.#kv = new KvChannel(blobs);
    this.#heartbeats = new ExecHeartbeats(timers, () => this.#beat());
    this.#boundary = new RoundBoundary(timers, {
      announce: (calls) => this.#announce(calls),
      onStuck: () => this.fail(new GatewayError('upstream-malformed', NEVER_COMPLETED)),
    });
  }

  /** Why no more frames will be read. */
  get failure(): GatewayError | undefined {
    return this.#failure;
  }

  /**
   * The last checkpoint, if it holds every call that was made. One from before a call would have the model decide anew,
   * and perhaps otherwise.
   */
  get checkpoint(): ConversationStateStructure | undefined {
    const listed = this.#checkpoint?.pendingToolCalls.join('\n') ?? '';
    const isCovered = [...this.#uncheckpointed].every((callId) => listed.includes(JSON.stringify(callId)));
    return isCovered ? this.#checkpoint : undefined;
  }

  /** Reads to the end. Never throws: how it ended is the last item of the queue. */
  async read(): Promise<void> {
    try {
      for await (const message of this.#options.connection.messages) {
        await this.#handle(message);
        if (this.#isDone) return;
        await this.#queue.room();
      }
      this.#handleStreamEnd();
    } catch (thrown) {
      this.#boundary.flush();
      this.fail(GatewayError.from(thrown, 'upstream-unavailable'));
    }
  }

  /** Answers the exec that waits for this result; a run that is gone is told by its outcome. */
  async deliver(result: ToolResultPart): Promise<void> {
    if (this.#failure) return;
    try {
      await this.#send(this.#exec.answer(result));
    } catch (thrown) {
      this.fail(GatewayError.from(thrown, 'upstream-unavailable'));
    }
  }

  /** Every call that was given out is answered: what the model says next is a new message. */
  beginRound(): void {
    if (this.#boundary.isComplete) this.usage.addRound();
    this.#kv.forgetText();
    this.#hasText = false;
  }

  fail(error: GatewayError): void {
    if (this.#isDone) return;
    this.#failure = error;
    this.#queue.push({ type: 'end', error });
    this.#close();
  }

  /** Nobody takes from the queue any more. */
  stop(): void {
    this.#queue.close();
    this.#close();
  }

  /** As soon as the run is over, whether or not somebody comes for its last events. */
  #close(): void {
    this.#isDone = true;
    this.#boundary.stop();
    this.#heartbeats.stop();
    this.#options.connection.close();
  }

  async #handle({ message, $unknown }: AgentServerMessage): Promise<void> {
    switch (message.case) {
      case 'interactionUpdate':
        this.#handleUpdate(message.value);
        break;
      case 'execServerMessage':
        await this.#handleExec(message.value);
        break;
      case 'conversationCheckpointUpdate':
        this.#handleCheckpoint(message.value);
        break;
      case 'kvServerMessage':
        await this.#send([await this.#kv.answer(message.value)]);
        break;
      case 'execServerControlMessage': {
        const { message: control } = message.value;
        if (control.case === 'abort' && this.#exec.abort(control.value.id)) this.#hasAborted = true;
        break;
      }
      case 'interactionQuery': {
        const { frame, unknownField } = answerQuery(message.value, this.#options.plan.approvesWeb);
        if (unknownField !== undefined) this.#noteDrift('interaction_query', [unknownField]);
        await this.#send([frame]);
        break;
      }
      default: {
        const fields = ($unknown ?? []).map(({ no }) => no);
        if (fields.length > 0) this.#noteDrift('agent_server_message', fields);
      }
    }
  }

  #handleUpdate(update: InteractionUpdate): void {
    const events: TurnEvent[] = [];
    const signal = decodeUpdate(update, this.#updateContext(), events);
    this.#emit(events);
    switch (signal?.type) {
      case 'thinking':
        this.#hasContent = true;
        break;
      case 'text':
        this.#hasContent = true;
        this.#hasText = true;
        this.#hasAborted = false;
        this.#isTextCheckpointed = false;
        break;
      case 'call-begun':
        this.#boundary.expect(signal.callId, signal.isCallers);
        break;
      case 'call-completed':
        this.#settle(signal.callId);
        break;
      case 'step-completed':
        this.#boundary.flushIfComplete();
        break;
      case 'turn-ended':
        this.#handleTurnEnd(signal.ended);
        break;
      case undefined:
        break;
      default:
        signal satisfies never;
    }
  }

  #updateContext(): UpdateContext {
    const { plan, progress, known } = this.#options;
    return {
      spans: progress.spans,
      inputs: this.#inputs,
      tools: plan.tools,
      exec: this.#exec,
      usage: this.usage,
      // Calls that wait to be given out must not wait for one that has only begun; one that turns out to be answered
      // already must not be seen at all; and for a client that gets its answer whole nothing is won.
      mayStream: (callId) => this.#options.isStreaming && known.isEmpty && this.#boundary.isNext(callId),
    };
  }

  async #handleExec(exec: ExecServerMessage): Promise<void> {
    // A new question for the context begins a new round: the calls before it belong together.
    if (exec.message.case === 'requestContextArgs') this.#boundary.flush();
    const { frames, call, toolCallId, unknownFields } = this.#exec.receive(exec);
    if (unknownFields) this.#noteDrift('exec_server_message', unknownFields);
    if (call) {
      const events: TurnEvent[] = [];
      this.#inputs.finishLive(call, events);
      this.#emit(events);
      this.#hasContent = true;
      this.#uncheckpointed.add(call.callId);
      this.#boundary.add(call, toolCallId ?? call.callId);
      this.#heartbeats.start();
    } else if (toolCallId !== undefined) this.#settle(toolCallId);
    await this.#send(frames);
  }

  /** Nobody is to run this call. If a client has seen its arguments, it must not take it for a call. */
  #settle(callId: string): void {
    if (this.#options.progress.spans.tools.openCallIds.includes(callId)) {
      this.fail(new GatewayError('upstream-rejected', TAKEN_BACK));
    } else this.#boundary.settle(callId);
  }

  #emit(events: readonly TurnEvent[]): void {
    this.usage.noteEvents(events);
    this.#queue.push({ type: 'events', events });
  }

  /** Puts a round into the queue; false while some call is still half streamed. */
  #announce(calls: readonly PendingCall[]): boolean {
    const { spans } = this.#options.progress;
    if (spans.tools.openCallIds.length > 0) return false;
    const events: TurnEvent[] = [];
    try {
      for (const call of calls) this.#inputs.complete(call, events);
    } catch (thrown) {
      this.fail(GatewayError.from(thrown)); // a timer may have called: nobody else would catch it
      return true;
    }
    spans.closeProse(events);
    this.#emit(events);
    this.#queue.push({ type: 'round', calls });
    return true;
  }

  #handleCheckpoint(checkpoint: ConversationStateStructure): void {
    this.#checkpoint = checkpoint;
    this.#uncheckpointed.clear();
    this.#isTextCheckpointed = true;
    const { tokenDetails, pendingToolCalls } = checkpoint;
    if (tokenDetails) this.usage.noteContext(tokenDetails.usedTokens);
    this.#boundary.list(pendingToolCalls);
  }

  #handleTurnEnd(ended: TurnEndedUpdate | undefined): void {
    this.#boundary.flush();
    if (this.#boundary.hasCalls) {
      this.fail(new GatewayError('upstream-malformed', NEVER_COMPLETED));
    } else if (this.#exec.pendingCalls.length > 0 || this.#hasAborted) {
      // Their results will come, and the turn goes on in another run.
      this.fail(new GatewayError('upstream-unavailable', NOT_AWAITED));
    } else if (this.#boundary.hasUnasked || this.#options.progress.spans.tools.openCallIds.length > 0) {
      this.fail(new GatewayError('upstream-malformed', NEVER_COMPLETED));
    } else {
      this.#finish(ended);
    }
  }

  #finish(ended: TurnEndedUpdate | undefined): void {
    const { progress } = this.#options;
    const events: TurnEvent[] = [];
    const storedText = this.#hasText ? undefined : this.#kv.assistantText;
    if (storedText !== undefined) progress.spans.text(storedText, events);
    else if (!this.#hasContent && !progress.hasStarted) {
      this.fail(new GatewayError('upstream-malformed', NOTHING_SAID));
      return;
    }
    progress.spans.abort(events);
    const usage = this.usage.final(ended);
    events.push({ type: 'turn-end', reason: 'stop', ...(usage ? { usage } : {}) });
    this.#queue.push({ type: 'events', events });
    this.#queue.push({ type: 'end' });
    this.#close();
  }

  /** Only `turn_ended` says that a turn is whole. A checkpoint after the last words says so too: nothing is pending. */
  #handleStreamEnd(): void {
    if (this.#isDone) return;
    const isWhole = this.#isTextCheckpointed && this.#checkpoint?.pendingToolCalls.length === 0;
    const hasWords = this.#hasText || this.#kv.assistantText !== undefined;
    const isWaiting = this.#exec.pendingCalls.length > 0;
    if (isWaiting || (isWhole && hasWords)) this.#handleTurnEnd(undefined);
    else this.fail(new GatewayError('upstream-malformed', CUT_SHORT));
  }

  async #beat(): Promise<boolean> {
    const { pendingCalls } = this.#exec;
    await this.#send(pendingCalls.map(({ exec }) => heartbeatFrame(exec.id)));
    return pendingCalls.length > 0;
  }

  async #send(frames: readonly AgentClientMessage[]): Promise<void> {
    for (const frame of frames) await this.#options.connection.send(frame);
  }

  #noteDrift(frame: string, unknownFields: readonly number[]): void {
    const value: JsonValue = { frame, unknownFields: [...unknownFields] };
    this.#queue.push({ type: 'events', events: [{ type: 'opaque', dialect: CURSOR_AGENT, value }] });
  }
}

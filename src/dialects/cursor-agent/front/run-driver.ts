// Drives one agent run: hands its events to the client, keeps the conversation, and sees to it that a checkpoint with the
// calls of a round is out before the first of them runs.
import {
  type AgentCall,
  type AgentEvent,
  GatewayError,
  type RunEndReason,
  type ToolCallPart,
  textOf,
  type Usage,
} from '../../../core/index.ts';
import type { ToolCall } from '../../../gen/agent/v1/tool_call_pb.ts';
import type { Conversation } from './conversation.ts';
import type { PreparedRun } from './prepare-run.ts';

export type RunDriverOptions = Pick<
  PreparedRun,
  'conversation' | 'checkpoints' | 'writer' | 'port' | 'drawCall' | 'runId'
>;

export interface DrivenRun {
  readonly reason: RunEndReason;
  readonly usage: Usage;
  readonly explanation?: string;
}

export class RunDriver {
  readonly #options: RunDriverOptions;

  constructor(options: RunDriverOptions) {
    this.#options = options;
  }

  /** Throws the error that a run ends with. */
  async drive(events: AsyncIterable<AgentEvent>): Promise<DrivenRun> {
    for await (const event of events) {
      if (event.type === 'run-end') return event;
      if (event.type === 'run-error') throw event.error;
      await this.#handle(event);
    }
    throw new GatewayError('internal', 'The run ended without saying how.');
  }

  async #handle(event: Exclude<AgentEvent, { type: 'run-end' | 'run-error' }>): Promise<void> {
    const { conversation, checkpoints, writer, runId } = this.#options;
    switch (event.type) {
      case 'step-start':
        conversation.mode = event.mode;
        writer.modelCallId = `${runId}-${event.step}`;
        await writer.startStep(event.step);
        return;
      case 'turn-events':
        await writer.writeEvents(event.events);
        return;
      case 'round-open':
        conversation.openRound(event.message);
        this.#noteUsage(event.usage);
        // Behind a gateway the round's counts must be told with its calls: the answer ends there for the time being.
        await writer.tellTokens();
        await checkpoints.write();
        return;
      case 'call-start':
      case 'call-progress':
        return; // the tools themselves show it
      case 'call-end':
        if (event.result.mode) conversation.mode = event.result.mode;
        this.#showUnshown(event.call);
        return;
      case 'step-end':
        await this.#endStep(event);
        return;
      case 'compaction-start':
        await writer.update({ case: 'summaryStarted', value: {} });
        return;
      case 'compaction-end':
        conversation.summarize(event.summary, event.messages);
        checkpoints.runStart = conversation.length;
        await writer.update({ case: 'summary', value: { summary: event.summary } });
        await writer.update({ case: 'summaryCompleted', value: {} });
        await checkpoints.write();
        return;
      case 'hint':
        conversation.append(event.message);
        checkpoints.touch();
        return;
      default:
        event satisfies never;
    }
  }

  async #endStep({ step, messages, usage }: Extract<AgentEvent, { type: 'step-end' }>): Promise<void> {
    const { conversation, checkpoints, writer, port } = this.#options;
    const shown = conversation.openMessages; // what a resumed round began with is shown with its results
    conversation.addStep(messages);
    const said = shown.length > 0 && messages[0]?.role !== 'assistant' ? [...shown, ...messages] : messages;
    conversation.turns.addStep(said, (call) => this.#draw(call), writer.thinkingMs);
    this.#noteUsage(usage);
    port.forgetDrawings();
    await writer.endStep(step);
    await checkpoints.write();
  }

  #noteUsage(usage: Usage | undefined): void {
    if (usage) this.#options.conversation.usedTokens = usage.inputTokens + usage.outputTokens;
  }

  #draw(call: ToolCallPart): ToolCall | undefined {
    return this.#options.port.drawingOf(call.callId) ?? this.#options.drawCall(call);
  }

  /** A call that was answered without reaching its tool was never shown; a client would wait for its end for ever. */
  #showUnshown(call: AgentCall): void {
    const { port, drawCall } = this.#options;
    if (port.shownState(call.callId) === 'completed') return;
    const drawing = port.drawingOf(call.callId) ?? drawCall(call);
    if (!drawing) return;
    if (port.shownState(call.callId) === undefined) port.showCall(call.callId, drawing, 'started');
    port.showCall(call.callId, drawing, 'completed');
  }
}

/** What the model said since a run began, for a client that has seen nothing of it. */
export function textSince(conversation: Conversation, runStart: number): string {
  return conversation.messages
    .slice(runStart)
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => textOf(content))
    .join('');
}

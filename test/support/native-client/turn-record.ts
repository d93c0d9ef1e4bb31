import type { ConversationStateStructure } from '../../../src/gen/agent/v1/conversation_state_pb.ts';
import type { ExecServerMessage } from '../../../src/gen/agent/v1/exec_pb.ts';
import type { InteractionQuery } from '../../../src/gen/agent/v1/interaction_query_pb.ts';
import type { InteractionUpdate, TurnEndedUpdate } from '../../../src/gen/agent/v1/interaction_update_pb.ts';
import type { AgentServerMessage } from '../../../src/gen/agent/v1/run_pb.ts';
import type { ToolCall } from '../../../src/gen/agent/v1/tool_call_pb.ts';

type Update = InteractionUpdate['message'];
type UpdateCase = NonNullable<Update['case']>;
type UpdateOf<Case extends UpdateCase> = Extract<Update, { case: Case }>['value'];

/** Everything one turn brought, over all its attempts. */
export class TurnRecord {
  readonly frames: AgentServerMessage[] = [];
  /** When each frame came, by the clock of `performance.now`. */
  readonly times: number[] = [];
  readonly violations: string[] = [];
  attempts = 0;

  add(frame: AgentServerMessage): void {
    this.frames.push(frame);
    this.times.push(performance.now());
  }

  /** Short names of the frames in order, for orders and for failure messages. */
  get outline(): string[] {
    return this.frames.map(({ message }) => {
      if (message.case === 'interactionUpdate') return message.value.message.case ?? 'unknown update';
      if (message.case === 'execServerMessage') return `exec:${message.value.message.case}`;
      if (message.case === 'kvServerMessage') return `kv:${message.value.message.case}`;
      if (message.case === 'interactionQuery') return `query:${message.value.query.case}`;
      return message.case === 'conversationCheckpointUpdate' ? 'checkpoint' : (message.case ?? 'unknown');
    });
  }

  updates<Case extends UpdateCase>(wanted: Case): UpdateOf<Case>[] {
    return this.frames.flatMap(({ message }) => {
      if (message.case !== 'interactionUpdate' || message.value.message.case !== wanted) return [];
      return [message.value.message.value as UpdateOf<Case>]; // the case was compared on the line above
    });
  }

  get text(): string {
    return this.updates('textDelta')
      .map(({ text }) => text)
      .join('');
  }

  get thinking(): string {
    return this.updates('thinkingDelta')
      .map(({ text }) => text)
      .join('');
  }

  get execs(): ExecServerMessage[] {
    return this.frames.flatMap(({ message }) =>
      message.case === 'execServerMessage' ? [message.value] : [],
    );
  }

  get queries(): InteractionQuery[] {
    return this.frames.flatMap(({ message }) => (message.case === 'interactionQuery' ? [message.value] : []));
  }

  get checkpoints(): ConversationStateStructure[] {
    return this.frames.flatMap(({ message }) =>
      message.case === 'conversationCheckpointUpdate' ? [message.value] : [],
    );
  }

  /** The calls that were shown as done, by the member of `ToolCall` they use. */
  get completedCalls(): { readonly callId: string; readonly tool: ToolCall['tool'] }[] {
    return this.updates('toolCallCompleted').map(({ callId, toolCall }) => ({
      callId,
      tool: toolCall?.tool ?? { case: undefined },
    }));
  }

  get usage(): TurnEndedUpdate | undefined {
    return this.updates('turnEnded').at(-1);
  }

  /** The longest time without any frame, in milliseconds. */
  get longestSilenceMs(): number {
    return Math.max(0, ...this.times.slice(1).map((time, index) => time - (this.times[index] ?? time)));
  }
}

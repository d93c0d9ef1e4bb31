// The rules a server of the agent protocol must keep for the official SDK to work, checked on every frame. Known from
// runs of @cursor/sdk 1.0.18 and 1.0.32: docs/protocols/cursor-agent.md.
import type { ExecServerMessage } from '../../../src/gen/agent/v1/exec_pb.ts';
import type { InteractionUpdate } from '../../../src/gen/agent/v1/interaction_update_pb.ts';
import type { AgentServerMessage } from '../../../src/gen/agent/v1/run_pb.ts';
import { blobIdsOf, blobIdsOfTurn, type ConversationMemory, hex } from './conversation-memory.ts';

const CHANGES_NOTHING = new Set<string | undefined>(['requestContextArgs']);

/** Watches one stream. */
export class Judge {
  readonly #violations: string[];
  readonly #memory: ConversationMemory;
  readonly #execIds = new Set<number>();
  readonly #openCalls = new Set<string>();
  readonly #isResumed: boolean;
  #checkpoints = 0;
  #isThinking = false;
  #hasWorkSinceCheckpoint = false;
  hasTurnEnded = false;

  constructor(memory: ConversationMemory, violations: string[], isResumed: boolean) {
    this.#memory = memory;
    this.#violations = violations;
    this.#isResumed = isResumed;
  }

  see({ message, $unknown }: AgentServerMessage): void {
    if (this.hasTurnEnded) this.#object(`${message.case ?? 'a frame'} came after turn_ended`);
    if (message.case === undefined) this.#object(`an empty frame (${$unknown?.length ?? 0} unknown fields)`);
    if (message.case === 'interactionUpdate') this.#seeUpdate(message.value);
    if (message.case === 'execServerMessage') this.#seeExec(message.value);
    if (message.case === 'conversationCheckpointUpdate') {
      this.#checkpoints++;
      this.#hasWorkSinceCheckpoint = false;
      const inTurns = message.value.turns.flatMap((id) => blobIdsOfTurn(this.#memory.get(id)));
      for (const id of [...blobIdsOf(message.value), ...inTurns]) {
        if (id.length !== 32) this.#object(`a checkpoint holds ${id.length} bytes where a blob id belongs`);
        else if (!this.#memory.has(id))
          this.#object(`a checkpoint names blob ${hex(id)}, which was never stored here`);
      }
    }
  }

  #seeUpdate({ message: update }: InteractionUpdate): void {
    switch (update.case) {
      case undefined:
        this.#object('an update without content');
        return;
      case 'thinkingDelta':
        this.#isThinking = true;
        return;
      case 'thinkingCompleted':
        if (!this.#isThinking) this.#object('thinking_completed without thinking');
        this.#isThinking = false;
        return;
      case 'textDelta':
        if (this.#isThinking) this.#object('text came before thinking_completed');
        if (update.value.text === '') this.#object('an empty text_delta');
        return;
      case 'toolCallStarted':
        if (update.value.toolCall?.tool.case === undefined) this.#object('tool_call_started shows no tool');
        this.#openCalls.add(update.value.callId);
        return;
      case 'toolCallCompleted':
        if (!this.#openCalls.delete(update.value.callId) && !this.#isResumed)
          this.#object(`tool_call_completed for ${update.value.callId}, which was not started`);
        this.#hasWorkSinceCheckpoint = true;
        return;
      case 'stepStarted':
        if (this.#hasWorkSinceCheckpoint)
          this.#object('a step began without a checkpoint after the calls of the last');
        return;
      case 'turnEnded':
        this.hasTurnEnded = true;
        if (this.#isThinking) this.#object('the turn ended while thinking was open');
        for (const call of this.#openCalls) this.#object(`the turn ended while ${call} was shown as running`);
        if (this.#checkpoints === 0) this.#object('the turn ended without a checkpoint');
        if (this.#hasWorkSinceCheckpoint)
          this.#object('the turn ended without a checkpoint after its last call');
    }
  }

  #seeExec({ id, message }: ExecServerMessage): void {
    if (this.#execIds.has(id)) this.#object(`exec id ${id} was used twice`);
    this.#execIds.add(id);
    if (!CHANGES_NOTHING.has(message.case) && this.#checkpoints === 0)
      this.#object(`${message.case} came before any checkpoint, so that a retry would repeat the turn`);
    if (
      message.case === 'shellArgs' ||
      message.case === 'shellStreamArgs' ||
      message.case === 'backgroundShellSpawnArgs'
    ) {
      if (message.value.parsingResult === undefined) this.#object(`${message.case} has no parsing_result`);
      if (message.value.workingDirectory === '') this.#object(`${message.case} has no working_directory`);
    }
  }

  #object(violation: string): void {
    this.#violations.push(violation);
  }
}

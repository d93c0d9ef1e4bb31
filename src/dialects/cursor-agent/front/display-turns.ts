// The turns of a conversation as a client shows them: what the user said and the steps that followed, blobs in blobs.
// The model never sees them; a client that opens an old conversation sees nothing else.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Message, ToolCallPart } from '../../../core/index.ts';
import { ShellCommandSchema, ShellOutputSchema } from '../../../gen/agent/v1/conversation_action_pb.ts';
import {
  type AgentConversationTurnStructure,
  AgentConversationTurnStructureSchema,
  ConversationTurnStructureSchema,
} from '../../../gen/agent/v1/conversation_state_pb.ts';
import { ConversationStepSchema, type ToolCall } from '../../../gen/agent/v1/tool_call_pb.ts';
import { type UserMessage, UserMessageSchema } from '../../../gen/agent/v1/user_message_pb.ts';
import type { ConversationBlobs } from './conversation-blobs.ts';

/** How a call is drawn, with its result if it has one; undefined when it cannot be drawn. */
export type DrawCall = (call: ToolCallPart) => ToolCall | undefined;

export class DisplayTurns {
  readonly #blobs: ConversationBlobs;
  readonly #past: Uint8Array[];
  #current: AgentConversationTurnStructure | undefined;

  constructor(blobs: ConversationBlobs, past: readonly Uint8Array[]) {
    this.#blobs = blobs;
    this.#past = [...past];
  }

  /** The user has said something: a new turn begins. */
  begin(message: UserMessage, requestId: string | undefined): void {
    this.#archive();
    const userMessage = this.#blobs.add(toBinary(UserMessageSchema, message));
    this.#current = create(AgentConversationTurnStructureSchema, {
      userMessage,
      ...(requestId === undefined ? {} : { requestId }),
    });
  }

  /** The last turn goes on; a turn that nobody has any more is begun anew, without its user's words. */
  async resume(): Promise<void> {
    const last = this.#past.at(-1);
    const data = last && (await this.#blobs.get(last).catch(() => undefined));
    const turn = data && readTurn(data);
    if (!turn) return;
    this.#past.pop();
    this.#current = turn;
  }

  addStep(messages: readonly Message[], draw: DrawCall, thinkingMs: number): void {
    this.#current ??= create(AgentConversationTurnStructureSchema, {
      userMessage: this.#blobs.add(toBinary(UserMessageSchema, create(UserMessageSchema))),
    });
    const current = this.#current;
    for (const { role, content } of messages) {
      if (role !== 'assistant') continue;
      for (const part of content) {
        if (part.type === 'text' && part.text !== '') {
          this.#push(current, { case: 'assistantMessage', value: { text: part.text } });
        } else if (part.type === 'reasoning' && part.text !== '') {
          this.#push(current, {
            case: 'thinkingMessage',
            value: { text: part.text, durationMs: thinkingMs },
          });
        } else if (part.type === 'tool-call') {
          const value = draw(part);
          if (value) this.#push(current, { case: 'toolCall', value });
        }
      }
    }
  }

  /** A command that the user ran is a turn of its own. */
  addShell(command: string, output: { stdout: string; stderr: string; exitCode: number }): void {
    this.#archive();
    const value = {
      shellCommand: this.#blobs.add(toBinary(ShellCommandSchema, create(ShellCommandSchema, { command }))),
      shellOutput: this.#blobs.add(toBinary(ShellOutputSchema, create(ShellOutputSchema, output))),
    };
    const turn = create(ConversationTurnStructureSchema, { turn: { case: 'shellConversationTurn', value } });
    this.#past.push(this.#blobs.add(toBinary(ConversationTurnStructureSchema, turn)));
  }

  encode(): Uint8Array[] {
    return this.#current ? [...this.#past, this.#encodeTurn(this.#current)] : [...this.#past];
  }

  #archive(): void {
    if (this.#current) this.#past.push(this.#encodeTurn(this.#current));
    this.#current = undefined;
  }

  #push(turn: AgentConversationTurnStructure, message: StepInit): void {
    const step = create(ConversationStepSchema, { message });
    turn.steps.push(this.#blobs.add(toBinary(ConversationStepSchema, step)));
  }

  #encodeTurn(value: AgentConversationTurnStructure): Uint8Array {
    const turn = create(ConversationTurnStructureSchema, { turn: { case: 'agentConversationTurn', value } });
    return this.#blobs.add(toBinary(ConversationTurnStructureSchema, turn));
  }
}

type StepInit =
  | { case: 'assistantMessage'; value: { text: string } }
  | { case: 'thinkingMessage'; value: { text: string; durationMs: number } }
  | { case: 'toolCall'; value: ToolCall };

function readTurn(data: Uint8Array): AgentConversationTurnStructure | undefined {
  try {
    const { turn } = fromBinary(ConversationTurnStructureSchema, data);
    return turn.case === 'agentConversationTurn' ? turn.value : undefined;
  } catch {
    return undefined;
  }
}

import { createHash } from 'node:crypto';
import { fromBinary } from '@bufbuild/protobuf';
import {
  type ConversationStateStructure,
  ConversationTurnStructureSchema,
} from '../../../src/gen/agent/v1/conversation_state_pb.ts';
import type { KvClientMessage, KvServerMessage } from '../../../src/gen/agent/v1/kv_pb.ts';

/** What a client keeps of a conversation: the last checkpoint, and blobs by their hash. */
export class ConversationMemory {
  readonly #blobs = new Map<string, Uint8Array>();
  state: ConversationStateStructure | undefined;

  get blobs(): ReadonlyMap<string, Uint8Array> {
    return this.#blobs;
  }

  /** The same memory under another conversation; what is stored there is not stored here. */
  fork(): ConversationMemory {
    const fork = new ConversationMemory();
    for (const [id, data] of this.#blobs) fork.#blobs.set(id, data);
    fork.state = this.state;
    return fork;
  }

  forgetBlobs(): void {
    this.#blobs.clear();
  }

  has(id: Uint8Array): boolean {
    return this.#blobs.has(hex(id));
  }

  get(id: Uint8Array): Uint8Array | undefined {
    return this.#blobs.get(hex(id));
  }

  /** Says what is wrong with the request, if anything is. */
  set(id: Uint8Array, data: Uint8Array): string | undefined {
    this.#blobs.set(hex(id), data);
    const digest = createHash('sha256').update(data).digest('hex');
    return digest === hex(id)
      ? undefined
      : `set_blob: ${hex(id)} is not the SHA-256 of its ${data.length} bytes`;
  }

  answer({ id, message }: KvServerMessage): { readonly reply: KvReply; readonly problem?: string } {
    if (message.case === 'setBlobArgs') {
      const problem = this.set(message.value.blobId, message.value.blobData);
      const reply = { id, message: { case: 'setBlobResult' as const, value: {} } };
      return problem === undefined ? { reply } : { reply, problem };
    }
    if (message.case !== 'getBlobArgs') return { reply: { id }, problem: 'a kv message without a question' };
    const blobData = this.get(message.value.blobId);
    const value = blobData === undefined ? {} : { blobData };
    return { reply: { id, message: { case: 'getBlobResult', value } } };
  }

  /** The blobs that the checkpoint names, and those that its turns name, as far as they are here: the SDK sends them along. */
  prefetched(): { id: Uint8Array; value: Uint8Array }[] {
    const inTurns = (this.state?.turns ?? []).flatMap((id) => blobIdsOfTurn(this.get(id)));
    return [...blobIdsOf(this.state), ...inTurns].flatMap((id) => {
      const value = this.get(id);
      return value === undefined ? [] : [{ id, value }];
    });
  }
}

type KvReply = {
  id: number;
  message?:
    | { case: 'setBlobResult'; value: object }
    | {
        case: 'getBlobResult';
        value: Partial<
          Pick<Extract<KvClientMessage['message'], { case: 'getBlobResult' }>['value'], 'blobData'>
        >;
      };
};

/** Every blob that a checkpoint names by itself. */
export function blobIdsOf(state: ConversationStateStructure | undefined): Uint8Array[] {
  if (state === undefined) return [];
  const optional = [state.summary, state.plan].filter((id) => id !== undefined);
  return [...state.rootPromptMessagesJson, ...state.turns, ...state.todos, ...optional].filter(
    (id) => id.length > 0,
  );
}

export function blobIdsOfTurn(blob: Uint8Array | undefined): Uint8Array[] {
  if (blob === undefined) return [];
  const { turn } = fromBinary(ConversationTurnStructureSchema, blob);
  if (turn.case === 'agentConversationTurn') return [turn.value.userMessage, ...turn.value.steps];
  return turn.case === 'shellConversationTurn' ? [turn.value.shellCommand, turn.value.shellOutput] : [];
}

export const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

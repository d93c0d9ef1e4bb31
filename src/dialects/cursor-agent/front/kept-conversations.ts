// What we remember of a conversation by its id: its newest state, and which request brought it there. A client that
// never got a checkpoint (or keeps none) still has a history with us, and a request that is made again is recognised.
import { createHash } from 'node:crypto';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { omitUndefined } from '../../../core/index.ts';
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
} from '../../../gen/agent/v1/conversation_state_pb.ts';
import type { DocumentShelf } from '../../dialect.ts';

export const CONVERSATION_KIND = 'agent-conversation';

/** By what a request and its repetitions are known. */
export interface RequestMark {
  /** The id that stays the same over all tries of one request. */
  readonly originalId: string | undefined;
  /** A hash of what was asked. */
  readonly action: string;
}

export interface KeptConversation {
  readonly state: ConversationStateStructure;
  readonly mark: RequestMark;
  /** How many messages there were when the run began: what follows is what it has said. */
  readonly runStart: number;
}

export class KeptConversations {
  readonly #documents: DocumentShelf;
  readonly #onDrift: (kind: string) => void;

  constructor(documents: DocumentShelf, onDrift: (kind: string) => void) {
    this.#documents = documents;
    this.#onDrift = onDrift;
  }

  async find(conversationId: string): Promise<KeptConversation | undefined> {
    if (conversationId === '') return undefined;
    const json = await this.#documents.get(CONVERSATION_KIND, conversationId);
    if (typeof json?.state !== 'string') return undefined;
    try {
      const state = fromBinary(ConversationStateStructureSchema, Buffer.from(json.state, 'base64'));
      const originalId = typeof json.originalId === 'string' ? json.originalId : undefined;
      const action = typeof json.action === 'string' ? json.action : '';
      const runStart = typeof json.runStart === 'number' ? json.runStart : 0;
      return { state, mark: { originalId, action }, runStart };
    } catch {
      this.#onDrift('a kept conversation that cannot be read');
      return undefined;
    }
  }

  async keep(conversationId: string, { state, mark, runStart }: KeptConversation): Promise<void> {
    if (conversationId === '') return;
    const bytes = toBinary(ConversationStateStructureSchema, state);
    const { originalId, action } = mark;
    const value = { state: Buffer.from(bytes).toString('base64'), originalId, action, runStart };
    try {
      await this.#documents.put(CONVERSATION_KIND, conversationId, omitUndefined(value));
    } catch {
      this.#onDrift('a conversation that could not be kept'); // the client has its checkpoint
    }
  }
}

export function isSameRequest(left: RequestMark, right: RequestMark): boolean {
  return (
    left.originalId !== undefined && left.originalId === right.originalId && left.action === right.action
  );
}

export function hashAction(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64');
}

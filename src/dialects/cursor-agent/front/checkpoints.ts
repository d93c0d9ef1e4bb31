import type { Conversation } from './conversation.ts';
import type { ConversationBlobs } from './conversation-blobs.ts';
import type { KeptConversations, RequestMark } from './kept-conversations.ts';
import type { Outbox } from './outbox.ts';
import { checkpointFrame } from './server-frames.ts';

export interface CheckpointsOptions {
  readonly conversation: Conversation;
  readonly conversationId: string;
  readonly blobs: ConversationBlobs;
  readonly kept: KeptConversations;
  readonly mark: RequestMark;
  readonly outbox: Outbox;
}

/** Writes the state of a conversation down, at the client and here, whenever a client may have to go on from it. */
export class Checkpoints {
  readonly #options: CheckpointsOptions;
  /** How many messages there were when the run began. */
  runStart: number;
  #isDirty = false;

  constructor(options: CheckpointsOptions, runStart: number) {
    this.#options = options;
    this.runStart = runStart;
  }

  /** Something was said since the last checkpoint. */
  touch(): void {
    this.#isDirty = true;
  }

  async writeIfDirty(): Promise<void> {
    if (this.#isDirty) await this.write();
  }

  /** Resolves when every blob is stored and the state is on its way; whatever is sent next, the client sees after it. */
  async write(): Promise<void> {
    const { conversation, conversationId, blobs, kept, mark, outbox } = this.#options;
    const state = conversation.encode();
    this.#isDirty = false;
    await blobs.place();
    await kept.keep(conversationId, { state, mark, runStart: this.runStart });
    await outbox.send(checkpointFrame(state));
  }
}

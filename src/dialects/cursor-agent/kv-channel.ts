// The key-value channel: the backend keeps prompt messages and other state at the client, by hash.

import { isJsonObject, type JsonValue } from '../../core/index.ts';
import type { KvServerMessage } from '../../gen/agent/v1/kv_pb.ts';
import type { AgentClientMessage } from '../../gen/agent/v1/run_pb.ts';
import type { BlobStore } from './blob-store.ts';
import { kvFrame } from './client-frames.ts';

/** A message of the model is never longer; larger blobs are files or histories. */
const MAX_SCANNED_BYTES = 4 * 1024 * 1024;

export class KvChannel {
  readonly #blobs: BlobStore;
  #assistantText: string | undefined;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /**
   * The words of the last assistant message that was stored here. Some answers were seen to arrive in no other way:
   * with the HTTP/1.1 pair the backend may store the text instead of streaming it.
   */
  get assistantText(): string | undefined {
    return this.#assistantText;
  }

  /** What comes next is another message. */
  forgetText(): void {
    this.#assistantText = undefined;
  }

  async answer({ id, message }: KvServerMessage): Promise<AgentClientMessage> {
    switch (message.case) {
      case 'getBlobArgs': {
        const blobData = await this.#blobs.get(message.value.blobId);
        // A missing blob is an absent field, as the official SDK answers it.
        return kvFrame({ id, message: { case: 'getBlobResult', value: blobData ? { blobData } : {} } });
      }
      case 'setBlobArgs': {
        const { blobId, blobData } = message.value;
        const isNew = this.#blobs.peek(blobId) === undefined;
        const isStored = this.#blobs.set(blobId, blobData);
        if (isNew) this.#scan(blobData);
        const value = isStored ? {} : { error: { message: 'The blob store of this client is full.' } };
        return kvFrame({ id, message: { case: 'setBlobResult', value } });
      }
      default:
        return kvFrame({ id }); // an unknown request: answered, so that nothing waits for ever
    }
  }

  #scan(data: Uint8Array): void {
    if (data.length > MAX_SCANNED_BYTES || data[0] !== 0x7b) return; // JSON objects begin with a brace
    try {
      const value: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
      if (!isJsonObject(value) || value.role !== 'assistant') return;
      const text = textOfContent(value.content);
      if (text !== '') this.#assistantText = text;
    } catch {
      // Not a message: most blobs are serialized protobuf.
    }
  }
}

function textOfContent(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((part) =>
      isJsonObject(part) && part.type === 'text' && typeof part.text === 'string' ? part.text : '',
    )
    .join('');
}

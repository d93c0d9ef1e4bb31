// Calls of agent.v1.AgentService about kept conversations: names, uploaded blobs, forks, and how full the context is.
import { fromBinary } from '@bufbuild/protobuf';
import { GatewayError, invalidRequest, omitUndefined } from '../../../core/index.ts';
import {
  GetPromptContextUsageRequestSchema,
  GetPromptContextUsageResponseSchema,
  GetSignedUrlForAttachedMediaRequestSchema,
  GetSignedUrlForAttachedMediaResponseSchema,
  NotifyConversationCloneRequestSchema,
  NotifyConversationCloneResponseSchema,
  UpdateConversationMetadataRequestSchema,
  UpdateConversationMetadataResponseSchema,
  UploadConversationBlobsRequestSchema,
  UploadConversationBlobsResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import { PromptContextUsageSnapshotSchema } from '../../../gen/agent/v1/conversation_state_pb.ts';
import { defineUnary, type UnaryMethod } from '../../native-front.ts';
import { BLOB_KIND } from '../blob-store.ts';

/** The kind under which the front keeps the newest state of a conversation. */
const CONVERSATION_KIND = 'agent-conversation';
const METADATA_KIND = 'agent-conversation-metadata';
const MAX_BLOB_BYTES = 16 * 1024 * 1024;
const MAX_BLOBS = 4_096;

export function createConversationMethods(): UnaryMethod[] {
  return [
    defineUnary({
      path: '/agent.v1.AgentService/UpdateConversationMetadata',
      input: UpdateConversationMetadataRequestSchema,
      output: UpdateConversationMetadataResponseSchema,
      async handle({ conversationId, name, onlySetNameIfEmpty, workspacePaths }, { documents }) {
        checkId(conversationId, 'conversation_id');
        const known = await documents.get(METADATA_KIND, conversationId);
        const hasName = typeof known?.name === 'string' && known.name !== '';
        const kept = onlySetNameIfEmpty === true && hasName ? known.name : (name ?? known?.name);
        const workspaces = workspacePaths.length > 0 ? workspacePaths : known?.workspacePaths;
        await documents.put(
          METADATA_KIND,
          conversationId,
          omitUndefined({ name: kept, workspacePaths: workspaces }),
        );
        return {};
      },
    }),
    defineUnary({
      path: '/agent.v1.AgentService/UploadConversationBlobs',
      input: UploadConversationBlobsRequestSchema,
      output: UploadConversationBlobsResponseSchema,
      async handle({ conversationId, blobs }, { documents }) {
        checkId(conversationId, 'conversation_id');
        if (blobs.length > MAX_BLOBS) {
          throw invalidRequest(
            `blobs has ${blobs.length} entries; send at most ${MAX_BLOBS} in one call.`,
            'blobs',
          );
        }
        for (const [index, { id, value }] of blobs.entries()) {
          if (id.length === 0) throw invalidRequest(`blobs[${index}].id is empty.`, `blobs[${index}].id`);
          if (value.length > MAX_BLOB_BYTES) {
            throw new GatewayError(
              'too-large',
              `blobs[${index}] has ${value.length} bytes; at most ${MAX_BLOB_BYTES} are kept.`,
            );
          }
          await documents.put(BLOB_KIND, hexOf(id), { data: Buffer.from(value).toString('base64') });
        }
        return {};
      },
    }),
    defineUnary({
      path: '/agent.v1.AgentService/NotifyConversationClone',
      input: NotifyConversationCloneRequestSchema,
      output: NotifyConversationCloneResponseSchema,
      async handle({ conversationId, sourceConversationId }, { documents }) {
        checkId(conversationId, 'conversation_id');
        for (const kind of [CONVERSATION_KIND, METADATA_KIND]) {
          const source = await documents.get(kind, sourceConversationId);
          // A fork that has begun by itself knows better than its source.
          if (source && !(await documents.get(kind, conversationId))) {
            await documents.put(kind, conversationId, source);
          }
        }
        return {};
      },
    }),
    defineUnary({
      path: '/agent.v1.AgentService/GetPromptContextUsage',
      input: GetPromptContextUsageRequestSchema,
      output: GetPromptContextUsageResponseSchema,
      async handle({ snapshotBlobId }, { documents, onDrift }) {
        const kept =
          snapshotBlobId.length > 0 ? await documents.get(BLOB_KIND, hexOf(snapshotBlobId)) : undefined;
        if (typeof kept?.data !== 'string') return {};
        try {
          const bytes = Buffer.from(kept.data, 'base64');
          return { snapshot: fromBinary(PromptContextUsageSnapshotSchema, bytes) };
        } catch {
          onDrift('a context snapshot that cannot be read');
          return {};
        }
      },
    }),
    defineUnary({
      path: '/agent.v1.AgentService/GetSignedUrlForAttachedMedia',
      input: GetSignedUrlForAttachedMediaRequestSchema,
      output: GetSignedUrlForAttachedMediaResponseSchema,
      async handle() {
        throw new GatewayError(
          'unimplemented',
          'This gateway keeps no media for its clients; send images inside the message.',
        );
      },
    }),
  ];
}

function checkId(id: string, field: string): void {
  if (id === '' || id.length > 512)
    throw invalidRequest(`${field} is ${id === '' ? 'empty' : 'too long'}.`, field);
}

function hexOf(id: Uint8Array): string {
  return Buffer.from(id).toString('hex');
}

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
import { blobKey, findKeptBlob, keepBlob, MAX_KEPT_BYTES } from '../front/kept-blobs.ts';
import { CONVERSATION_KIND } from '../front/kept-conversations.ts';

const METADATA_KIND = 'agent-conversation-metadata';
const MAX_BLOBS = 4_096;
const MAX_ID_CHARACTERS = 512;

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
        const metadata = omitUndefined({
          name: onlySetNameIfEmpty === true && hasName ? known.name : (name ?? known?.name),
          workspacePaths: workspacePaths.length > 0 ? workspacePaths : known?.workspacePaths,
        });
        await documents.put(METADATA_KIND, conversationId, metadata);
        return {};
      },
    }),
    defineUnary({
      path: '/agent.v1.AgentService/UploadConversationBlobs',
      input: UploadConversationBlobsRequestSchema,
      output: UploadConversationBlobsResponseSchema,
      async handle({ conversationId, blobs }, { documents }) {
        checkId(conversationId, 'conversation_id');
        checkBlobs(blobs);
        for (const { id, value } of blobs) await keepBlob(documents, blobKey(id), value);
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
        const data = snapshotBlobId.length > 0 && (await findKeptBlob(documents, blobKey(snapshotBlobId)));
        if (!data) return {};
        try {
          return { snapshot: fromBinary(PromptContextUsageSnapshotSchema, data) };
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
  if (id === '') throw invalidRequest(`${field} is empty; name the conversation.`, field);
  if (id.length > MAX_ID_CHARACTERS) {
    throw invalidRequest(`${field} has ${id.length} characters; give at most ${MAX_ID_CHARACTERS}.`, field);
  }
}

/** All of them before the first is kept: a call that is refused has done nothing. */
function checkBlobs(blobs: readonly { readonly id: Uint8Array; readonly value: Uint8Array }[]): void {
  if (blobs.length > MAX_BLOBS) {
    throw invalidRequest(
      `blobs has ${blobs.length} entries; send at most ${MAX_BLOBS} in one call.`,
      'blobs',
    );
  }
  for (const [index, { id, value }] of blobs.entries()) {
    const field = `blobs[${index}]`;
    if (id.length === 0 || id.length > MAX_ID_CHARACTERS) {
      throw invalidRequest(
        `${field}.id has ${id.length} bytes; give the SHA-256 of the value, which has 32.`,
        `${field}.id`,
      );
    }
    if (value.length > MAX_KEPT_BYTES) {
      throw new GatewayError(
        'too-large',
        `${field} has ${value.length} bytes; send at most ${MAX_KEPT_BYTES}.`,
      );
    }
  }
}

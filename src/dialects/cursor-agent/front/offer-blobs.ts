// Hands a client every blob that a state of ours reaches: the client has never seen the state, or has lost it.
import { fromBinary } from '@bufbuild/protobuf';
import {
  type ConversationStateStructure,
  ConversationSummaryArchiveSchema,
  ConversationTurnStructureSchema,
} from '../../../gen/agent/v1/conversation_state_pb.ts';
import type { ConversationBlobs } from './conversation-blobs.ts';

export async function offerBlobs(state: ConversationStateStructure, blobs: ConversationBlobs): Promise<void> {
  const { rootPromptMessagesJson, todos, turns, summaryArchives, summary, plan } = state;
  const plain = [...rootPromptMessagesJson, ...todos, ...[summary, plan].filter((id) => id !== undefined)];
  await Promise.all([
    ...plain.map((id) => blobs.offer(id)),
    ...turns.map(async (id) => offerAll(readTurn(await blobs.offer(id)), blobs)),
    ...summaryArchives.map(async (id) => offerAll(readArchive(await blobs.offer(id)), blobs)),
  ]);
}

async function offerAll(ids: readonly Uint8Array[], blobs: ConversationBlobs): Promise<void> {
  await Promise.all(ids.map((id) => blobs.offer(id)));
}

function readTurn(data: Uint8Array | undefined): readonly Uint8Array[] {
  if (!data) return [];
  try {
    const { turn } = fromBinary(ConversationTurnStructureSchema, data);
    if (turn.case === 'agentConversationTurn') return [turn.value.userMessage, ...turn.value.steps];
    return turn.case === 'shellConversationTurn' ? [turn.value.shellCommand, turn.value.shellOutput] : [];
  } catch {
    return []; // not one of ours; nobody can follow it
  }
}

function readArchive(data: Uint8Array | undefined): readonly Uint8Array[] {
  if (!data) return [];
  try {
    const { summarizedMessages, summaryMessage } = fromBinary(ConversationSummaryArchiveSchema, data);
    return [...summarizedMessages, summaryMessage];
  } catch {
    return [];
  }
}

import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import {
  GetPromptContextUsageRequestSchema,
  GetPromptContextUsageResponseSchema,
  NotifyConversationCloneRequestSchema,
  NotifyConversationCloneResponseSchema,
  UpdateConversationMetadataRequestSchema,
  UpdateConversationMetadataResponseSchema,
  UploadConversationBlobsRequestSchema,
  UploadConversationBlobsResponseSchema,
} from '../../../gen/agent/v1/agent_service_pb.ts';
import { PromptContextUsageSnapshotSchema } from '../../../gen/agent/v1/conversation_state_pb.ts';
import { BlobStore } from '../blob-store.ts';
import { createServicesWorld } from './fixtures/call-service.ts';

type World = ReturnType<typeof createServicesWorld>;
const rename = ({ call }: World, request: object) =>
  call(
    '/agent.v1.AgentService/UpdateConversationMetadata',
    UpdateConversationMetadataRequestSchema,
    UpdateConversationMetadataResponseSchema,
    { conversationId: 'c', ...request },
  );
const upload = ({ call }: World, blobs: { id: Uint8Array; value: Uint8Array }[]) =>
  call(
    '/agent.v1.AgentService/UploadConversationBlobs',
    UploadConversationBlobsRequestSchema,
    UploadConversationBlobsResponseSchema,
    { conversationId: 'c', blobs },
  );

describe('a conversation', () => {
  it('keeps its name and its folders', async () => {
    const world = createServicesWorld();
    const kept = () => world.documents.get('agent-conversation-metadata/c');
    await rename(world, { name: 'first', workspacePaths: ['/srv'] });
    await rename(world, { name: 'second', onlySetNameIfEmpty: true });
    expect(kept()).toEqual({ name: 'first', workspacePaths: ['/srv'] });
    await rename(world, { name: 'third' });
    expect(kept()).toEqual({ name: 'third', workspacePaths: ['/srv'] });
    await rename(world, { workspacePaths: ['/other'] });
    expect(kept()).toEqual({ name: 'third', workspacePaths: ['/other'] });
  });

  it('takes blobs, which a run then finds', async () => {
    const world = createServicesWorld();
    const id = new Uint8Array(32).fill(7);
    await upload(world, [{ id, value: Buffer.from('hello') }]);
    const found = await new BlobStore(world.context.documents).get(id);
    expect(Buffer.from(found ?? []).toString()).toBe('hello');
  });

  it('refuses blobs without an id and blobs that nobody could keep', async () => {
    const world = createServicesWorld();
    await expect(upload(world, [{ id: new Uint8Array(), value: new Uint8Array() }])).rejects.toThrow(
      'blobs[0].id has 0 bytes',
    );
    const small = { id: new Uint8Array([2]), value: new Uint8Array([1]) };
    const large = { id: new Uint8Array([1]), value: new Uint8Array(17 * 1024 * 1024) };
    await expect(upload(world, [small, large])).rejects.toMatchObject({ code: 'too-large' });
    const many = Array.from({ length: 4_097 }, () => small);
    await expect(upload(world, many)).rejects.toThrow('4097 entries; send at most 4096');
    expect(world.documents.size).toBe(0);
  });

  it('is known by an id of a sensible length', async () => {
    const world = createServicesWorld();
    await expect(rename(world, { conversationId: '' })).rejects.toThrow('conversation_id is empty');
    const conversationId = 'x'.repeat(513);
    await expect(rename(world, { conversationId })).rejects.toThrow('513 characters; give at most 512');
  });

  it('is copied to a fork that has nothing of its own yet', async () => {
    const world = createServicesWorld();
    world.documents.set('agent-conversation/source', { state: 'S' });
    world.documents.set('agent-conversation/begun', { state: 'own' });
    await rename(world, { conversationId: 'source', name: 'named' });
    for (const conversationId of ['fork', 'begun']) {
      await world.call(
        '/agent.v1.AgentService/NotifyConversationClone',
        NotifyConversationCloneRequestSchema,
        NotifyConversationCloneResponseSchema,
        { conversationId, sourceConversationId: 'source' },
      );
    }
    expect(world.documents.get('agent-conversation/fork')).toEqual({ state: 'S' });
    expect(world.documents.get('agent-conversation-metadata/fork')).toEqual({ name: 'named' });
    expect(world.documents.get('agent-conversation/begun')).toEqual({ state: 'own' });
  });

  it('shows a kept snapshot of its context', async () => {
    const world = createServicesWorld();
    const snapshot = create(PromptContextUsageSnapshotSchema, {
      rootPromptMessagesJson: [Buffer.from('{}')],
    });
    const [good, bad] = [new Uint8Array([1]), new Uint8Array([2])];
    await upload(world, [
      { id: good, value: toBinary(PromptContextUsageSnapshotSchema, snapshot) },
      { id: bad, value: Buffer.from([0xff]) },
    ]);
    const usage = async (snapshotBlobId: Uint8Array) => {
      const answer = await world.call(
        '/agent.v1.AgentService/GetPromptContextUsage',
        GetPromptContextUsageRequestSchema,
        GetPromptContextUsageResponseSchema,
        { conversationId: 'c', snapshotBlobId },
      );
      return answer.snapshot?.rootPromptMessagesJson.length;
    };
    expect(await usage(good)).toBe(1);
    expect(await usage(bad)).toBeUndefined();
    expect(await usage(new Uint8Array([3]))).toBeUndefined();
    expect(world.drift).toEqual(['a context snapshot that cannot be read']);
  });
});

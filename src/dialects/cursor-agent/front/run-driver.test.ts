import { create, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { type AgentEvent, GatewayError, textOf, userMessage } from '../../../core/index.ts';
import { McpToolsSchema } from '../../../gen/agent/v1/mcp_pb.ts';
import {
  RequestContextMcpsPartSchema,
  RequestContextPartReferencesSchema,
  RequestContextRulesPartSchema,
} from '../../../gen/agent/v1/request_context_pb.ts';
import { answer, callMessage, readCall, readRound, speak, USAGE } from './fixtures/scripted-host.ts';
import { createTestSet, readsFile } from './fixtures/test-set.ts';

describe('a run that the loop steers', () => {
  it('shows a compaction, and the conversation begins with its summary from then on', async () => {
    const { client, host } = createTestSet(
      async function* () {
        yield { type: 'compaction-start', contextTokens: 9_000 };
        const messages = [userMessage('Summary: much was said.'), userMessage('go on')];
        yield { type: 'compaction-end', summary: 'Much was said.', messages };
        yield* speak('Ok.');
      },
      () => speak('Yes.'),
    );
    const stream = await client.send('go on');
    expect(stream.kinds.slice(1, 6)).toEqual([
      'checkpoint',
      'summaryStarted',
      'summary',
      'summaryCompleted',
      'checkpoint',
    ]);
    await client.send('and?');
    expect(host.runs[1]?.task.messages.map(({ content }) => textOf(content))).toEqual([
      'Summary: much was said.',
      'go on',
      'Ok.',
      'and?',
    ]);
  });

  it('keeps a hint as part of the conversation', async () => {
    const { client, host } = createTestSet(
      async function* () {
        yield { type: 'hint', kind: 'no-change', message: userMessage('You repeat yourself.') };
        yield { type: 'run-end', reason: 'no-progress', usage: USAGE, explanation: 'It made no progress.' };
      },
      () => speak('Ok.'),
    );
    const stream = await client.send('hello');
    expect(stream.kinds.slice(-3)).toEqual(['textDelta', 'checkpoint', 'turnEnded']);
    await client.send('again');
    expect(host.runs[1]?.task.messages).toHaveLength(3);
  });

  it('shows the end of a call that never reached its tool', async () => {
    const call = readCall('c1');
    const message = callMessage(call);
    const result = { content: [{ type: 'text' as const, text: 'No such tool.' }], isError: true };
    const { client } = createTestSet(async function* () {
      yield { type: 'step-start', step: 1, mode: 'agent' };
      yield { type: 'round-open', message, calls: [call] };
      yield { type: 'call-end', call, result };
      const content = [{ type: 'tool-result' as const, callId: 'c1', ...result }];
      yield { type: 'step-end', step: 1, messages: [message, { role: 'tool', content }] };
      yield { type: 'run-end', reason: 'done', usage: USAGE };
    });
    const stream = await client.send('hello');
    expect(stream.kinds).toEqual(expect.arrayContaining(['toolCallStarted', 'toolCallCompleted']));
  });

  it('changes the mode: what is taken up is in it, and a new message names its own', async () => {
    const { client, host } = createTestSet(
      async function* (): AsyncGenerator<AgentEvent> {
        yield { type: 'step-start', step: 1, mode: 'agent' };
        yield { type: 'call-end', call: readCall('c'), result: { content: [], mode: 'plan' } };
        yield { type: 'step-end', step: 1, messages: [answer('Now planning.')] };
        yield { type: 'run-end', reason: 'awaiting-user', usage: USAGE };
      },
      () => speak('Ok.'),
    );
    await client.send('hello');
    expect(client.checkpoint?.mode).toBe(3);
    const planned = client.open();
    planned.run({ case: 'goalContinuationAction', value: {} });
    await planned.ended;
    expect(host.runs[1]?.task.mode).toBe('plan');
    await client.send('now do it');
    expect(host.runs[2]?.task.mode).toBe('agent');
  });

  it('is taken up with its open calls, and their results join them', async () => {
    const calls = [readCall('c1'), readCall('c2')];
    const { client, host } = createTestSet(
      async function* () {
        yield { type: 'round-open', message: callMessage(...calls), calls };
        yield { type: 'run-error', error: new GatewayError('upstream-unavailable', 'Lost.'), usage: USAGE };
      },
      async function* (run) {
        yield* readRound(run, calls, 1, true);
        yield* speak('Both read.', 2);
      },
    );
    await client.send('read');
    expect(client.checkpoint?.pendingToolCalls).toHaveLength(1);
    const stream = client.open({ onExec: readsFile });
    stream.run({ case: 'resumeAction', value: {} });
    expect(await stream.ended).toBeUndefined();
    expect(host.runs[1]?.task.messages.at(-1)).toEqual(callMessage(...calls));
    expect(client.checkpoint).toMatchObject({ pendingToolCalls: [], rootPromptMessagesJson: { length: 4 } });
  });

  it('ends in an error when the loop says nothing of its end', async () => {
    const { client } = createTestSet(async function* () {});
    expect(await (await client.send('hello')).ended).toMatchObject({ code: 'internal' });
  });
});

describe('what a client declares', () => {
  it('reaches the tools: its own, those of its servers, each once, and which it allows', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const tool = (toolName: string) => ({ name: `s-${toolName}`, providerIdentifier: 's', toolName });
    const stream = client.open({
      context: { env: { workspacePaths: ['/w'] }, tools: [tool('a'), tool('b')] },
      headers: { 'x-cursor-agent-allowed-tools': 'read_tool_call, mcp_tool_call' },
    });
    stream.say('hello', (request) => {
      request.mcpTools = create(McpToolsSchema, { mcpTools: [tool('a')] });
    });
    await stream.ended;
    const port = host.runs[0]?.port;
    expect(port?.mcpTools.map(({ toolName }) => toolName)).toEqual(['a', 'b']);
    expect(port?.allowedTools).toEqual(['read_tool_call', 'mcp_tool_call']);
    expect(port?.requestContext?.env?.workspacePaths).toEqual(['/w']);
    await client.send('none', { headers: { 'x-cursor-agent-allowed-tools': '' } });
    expect(host.runs[1]?.port.allowedTools).toEqual([]);
    await client.send('all');
    expect(host.runs[2]?.port.allowedTools).toBeUndefined();
  });

  it('is not asked for when it came with the message', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const stream = client.open();
    stream.run({
      case: 'userMessageAction',
      value: {
        userMessage: { text: 'hello' },
        requestContext: { env: { workspacePaths: ['/mine'] }, mcpInfoComplete: true },
      },
    });
    await stream.ended;
    expect(stream.kinds).not.toContain('requestContextArgs');
    expect(host.runs[0]?.task.surroundings?.workspaces).toEqual(['/mine']);
  });

  it('may come in parts by hash', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const rules = toBinary(
      RequestContextRulesPartSchema,
      create(RequestContextRulesPartSchema, { rules: [{ fullPath: 'r', content: 'Be kind.' }] }),
    );
    const mcps = toBinary(
      RequestContextMcpsPartSchema,
      create(RequestContextMcpsPartSchema, { tools: [{ toolName: 't', providerIdentifier: 's' }] }),
    );
    const [rulesBlobId, mcpsBlobId] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    client.blobs.set(Buffer.from(rulesBlobId).toString('hex'), rules);
    client.blobs.set(Buffer.from(mcpsBlobId).toString('hex'), mcps);
    const stream = client.open();
    stream.say('hello', ({ action }) => {
      if (!action) return;
      action.requestContextParts = create(RequestContextPartReferencesSchema, {
        rulesBlobId,
        rulesByteLength: rules.length,
        mcpsBlobId,
        mcpsByteLength: mcps.length,
        dynamicContext: { env: { workspacePaths: ['/parts'] } },
      });
    });
    expect(await stream.ended).toBeUndefined();
    expect(host.runs[0]?.task.surroundings).toMatchObject({ rules: [{ name: 'r', text: 'Be kind.' }] });
    expect(host.runs[0]?.port.mcpTools).toHaveLength(1);
  });

  it('may name a sub-agent, which then has its own prompt', async () => {
    const { client, host } = createTestSet(() => speak('Ok.'));
    const customSubagents = [{ name: 'scout', prompt: 'You look around.' }];
    const stream = client.open({ context: { env: { workspacePaths: ['/w'] }, customSubagents } });
    stream.say('hello', (request) => {
      request.subagentTypeName = 'scout';
      request.excludeWorkspaceContext = true;
    });
    await stream.ended;
    expect(host.runs[0]?.task.systemPrompt).toEqual({ replace: 'You look around.' });
    expect(host.runs[0]?.task.surroundings?.workspaces).toBeUndefined();
  });

  it('but that we do not know is counted, and the run goes on', async () => {
    const { client } = createTestSet(() => speak('Ok.'));
    const stream = client.open();
    stream.say('hello', (request) => {
      request.$unknown = [{ no: 99, wireType: 0, data: new Uint8Array([1]) }];
    });
    expect(await stream.ended).toBeUndefined();
    expect(client.drift).toEqual(['agent.v1.AgentRunRequest field 99']);
  });

  it('must be something, when a conversation is to be taken up', async () => {
    const { client } = createTestSet();
    const stream = client.open();
    stream.run({ case: 'resumeAction', value: {} });
    expect(await stream.ended).toMatchObject({
      code: 'invalid-request',
      message: expect.stringContaining('Nothing is known of the conversation "agent-1"'),
    });
  });
});

import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberedTools } from '../../gateway/native-tools.ts';
import { ConversationMessage_MessageType as MessageType } from '../../gen/aiserver/v1/chat_request_pb.ts';
import { MCPParams_ToolSchema } from '../../gen/aiserver/v1/tool_mcp_pb.ts';
import { ownSlot } from '../../tools/codecs/call-carrier.ts';
import { CALL_SAMPLES } from '../../tools/codecs/fixtures/samples.ts';
import {
  decodeClientSideCall,
  decodeStreamedBackCall,
  encodeClientSideResult,
} from '../../tools/codecs/index.ts';
import { BUILTIN_TOOLS } from '../../tools/registry.ts';
import { succeed } from '../../tools/tool-outcome.ts';
import { ManualTimers } from '../cursor-agent/fixtures/manual-timers.ts';
import { ChatClient } from './fixtures/chat-client.ts';
import { ScriptedHost, type ScriptedStep } from './fixtures/scripted-host.ts';
import { HistoryIds } from './history-ids.ts';
import { createCursorAiserverFront } from './index.ts';
import { decodeMcpTools, mcpToolName } from './mcp-tools.ts';
import { openThought, sealThought } from './thought-seal.ts';

const { messages } = numberedTools;
/** MCP tools are declared by the client itself, and no message of this protocol holds a patch. */
const BUILTIN = BUILTIN_TOOLS.filter(({ name }) => name !== 'mcp' && name !== 'apply_patch');
const tools = BUILTIN.map((tool) => ({
  definition: { kind: 'function' as const, name: tool.name },
  number: ownSlot(tool),
  name: tool.name,
}));

function start(steps: readonly ScriptedStep[], mcpTools: { name: string; serverName: string }[] = []) {
  const host = new ScriptedHost({ messages, tools, steps });
  const client = new ChatClient(createCursorAiserverFront(host, { timers: new ManualTimers() }));
  const supportedTools = tools.map(({ number }) => number as never); // every number of the catalogue is one of the enum
  const conversation = [{ type: MessageType.HUMAN, text: 'Go' }];
  client.ask({ conversation, supportedTools, mcpTools, isAgentic: true });
  return { host, client };
}

describe('calls of every tool', () => {
  it.each(BUILTIN)('$name reaches the client with all that its messages can hold', async (tool) => {
    const sample = CALL_SAMPLES[tool.name];
    const args = sample?.args ?? {};
    const { client, host } = start([{ calls: [{ id: 'c', name: tool.name, args }] }]);
    const sent = await client.nextCall();
    const call = decodeClientSideCall(sent);
    expect(call).toMatchObject({ callId: 'c', name: tool.name, rawArgs: JSON.stringify(args) });
    expect(tool.args.parse(call.args)).toEqual(tool.args.parse(args));
    const outcome = succeed('all good');
    client.answer(
      encodeClientSideResult({ callId: 'c', name: tool.name, number: sent.tool, outcome }).message,
    );
    await client.done;
    const shown = client.messages.flatMap(({ response }) =>
      response.case === 'streamUnifiedChatResponse' && response.value.toolCallV2
        ? [response.value.toolCallV2]
        : [],
    );
    expect(shown).toHaveLength(1);
    expect(shown.map((one) => decodeStreamedBackCall(one).name)).toEqual([tool.name]);
    expect(host.results).toHaveLength(1);
    const hasSlot = sent.params.case !== undefined;
    const lost = hasSlot ? Object.keys(sample?.lostInAiserver ?? {}) : [];
    const said = JSON.stringify(host.results);
    for (const name of lost) expect(said).toContain(name);
    if (lost.length === 0) expect(said).not.toContain('has no way to be told');
  });

  it('a tool of an MCP server gets its arguments to the byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(3), async (args, indent) => {
        const text = JSON.stringify(args, null, indent);
        const name = 'mcp_srv_tool';
        const { client } = start(
          [{ calls: [{ id: 'c', name, args: text }] }],
          [{ name: 'tool', serverName: 'srv' }],
        );
        const sent = await client.nextCall();
        expect(sent).toMatchObject({ tool: 19, name, rawArgs: text });
        expect(sent.params).toMatchObject({
          case: 'mcpParams',
          value: { tools: [{ name: 'tool', serverName: 'srv', parameters: text }] },
        });
        client.channel.cut();
        await client.done;
      }),
      { numRuns: 50 },
    );
  });

  it('streamed arguments are prefixes of the whole, however the model cuts them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 3000, unit: 'binary' }),
        fc.integer({ min: 1, max: 400 }),
        async (contents, size) => {
          const args = { path: 'a.txt', contents };
          const { client } = start([{ calls: [{ id: 'c', name: 'write', args }], pieceCharacters: size }]);
          const last = await client.nextCall();
          const whole = JSON.stringify(args);
          const repeats = client.messages.flatMap(({ response }) =>
            response.case === 'clientSideToolV2Call' ? [response.value] : [],
          );
          let before = 0;
          for (const { rawArgs, isLastMessage, isStreaming } of repeats.slice(0, -1)) {
            expect(whole.startsWith(rawArgs)).toBe(true);
            expect(rawArgs.length).toBeGreaterThan(before);
            expect([isStreaming, isLastMessage]).toEqual([true, false]);
            before = rawArgs.length;
          }
          expect(last.rawArgs).toBe(whole);
          expect(last.isLastMessage).toBe(repeats.length > 1);
          client.channel.cut();
          await client.done;
        },
      ),
      { numRuns: 60 },
    );
  });

  it('results in any order, with strays and repeats between them, find their calls', async () => {
    const order = fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(order, fc.array(fc.nat(4), { maxLength: 4 }), async (answers, repeats) => {
        const calls = [0, 1, 2, 3, 4].map((index) => ({
          id: `call_${index}\nfc_${index}`,
          name: 'read_file',
          args: { path: `${index}` },
        }));
        const { client, host } = start([{ calls }]);
        for (const _ of calls) await client.nextCall();
        const result = (index: number, text: string, id = `call_${index}\nfc_${index}`) =>
          encodeClientSideResult({ callId: id, name: 'read_file', number: 40, outcome: succeed(text) })
            .message;
        const [first = 0, ...rest] = answers;
        client.answer(result(first, `answer ${first}`));
        for (const _ of repeats) client.answer(result(first, 'again'));
        client.answer(result(9, 'stray', 'nobody'));
        for (const index of rest) client.answer(result(index, `answer ${index}`));
        await client.done;
        const texts = host.results.map(({ content }) => (content[0]?.type === 'text' ? content[0].text : ''));
        for (const [index, text] of texts.entries()) expect(text).toContain(`answer ${index}`);
        expect(client.context.drift).toHaveLength(repeats.length + 1);
      }),
      { numRuns: 40 },
    );
  });
});

describe('ids of a history', () => {
  it('are safe, stable and as different as those of the wire', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), fc.constant('call_1\nfc_1'))),
        (wireIds) => {
          const ids = new HistoryIds();
          const callIds = wireIds.map((id) => ids.read(id));
          for (const [index, callId] of callIds.entries()) {
            expect(callId).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
            expect(ids.read(wireIds[index] ?? '')).toBe(callId);
            expect(ids.wireIdOf(callId)).toBe(wireIds[index]);
          }
          expect(new Set(callIds).size).toBe(new Set(wireIds).size);
        },
      ),
    );
  });

  it('stay apart when one looks like what another becomes', () => {
    const probe = new HistoryIds().read('a\nb');
    const ids = new HistoryIds();
    expect(ids.read(probe)).toBe(probe);
    expect(ids.read('a\nb')).not.toBe(probe);
  });
});

describe('names of MCP tools', () => {
  it('are names that every model server takes, each once, and lead back to server and tool', () => {
    const tool = fc.record({ name: fc.string({ minLength: 1 }), serverName: fc.string() });
    fc.assert(
      fc.property(fc.array(tool), (declared) => {
        const decoded = decodeMcpTools(
          declared.map((one) => create(MCPParams_ToolSchema, one)),
          () => undefined,
        );
        const names = decoded.map(({ definition }) => definition.name);
        for (const name of names) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
        expect(new Set(names).size).toBe(names.length);
        const pairs = (list: readonly (readonly [string, string])[]) =>
          new Set(list.map((pair) => JSON.stringify(pair)));
        expect(pairs(decoded.map((one) => [one.server, one.tool]))).toEqual(
          pairs(declared.map((one) => [one.serverName, one.name])),
        );
      }),
    );
  });

  it('are what the client expects, and not made longer when it declares the long name', () => {
    expect(mcpToolName('custom', 'get_weather')).toBe('mcp_custom_get_weather');
    expect(mcpToolName('custom', 'mcp_custom_get_weather')).toBe('mcp_custom_get_weather');
  });

  it('counts a schema that is none', () => {
    const drift: string[] = [];
    const tool = create(MCPParams_ToolSchema, { name: 't', serverName: 's', parameters: '[' });
    const [decoded] = decodeMcpTools([tool], (kind) => drift.push(kind));
    expect(decoded?.definition.parameters).toBeUndefined();
    expect(drift).toEqual(['MCPParams.Tool.parameters']);
  });
});

describe('sealed thoughts', () => {
  it('come back as they left', () => {
    const text = fc.string({ minLength: 1 });
    const proof = fc.record(
      { id: text, signature: text, encrypted: text, origin: text },
      { requiredKeys: ['origin'] },
    );
    fc.assert(
      fc.property(proof, fc.constantFrom('raw' as const, 'redacted' as const), (given, form) => {
        expect(openThought(sealThought({ ...given, form }), form)).toEqual({ ...given, form });
      }),
    );
  });

  it('of others stay as they are, whatever they look like', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (foreign) => {
        expect(openThought(foreign, 'raw')).toEqual({ form: 'raw', signature: foreign });
        expect(openThought(`crosspoint.${foreign}`, 'raw').signature).toBeDefined();
      }),
    );
  });
});

// Tools that a client of unified chat runs by number, on a real folder: what it is sent, what comes of it on disk, and what
// the model reads of it.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { afterEach, describe, expect, it } from 'vitest';
import { makeUpstream } from '../../src/config/index.ts';
import { ConversationMessage_MessageType as MessageType } from '../../src/gen/aiserver/v1/chat_request_pb.ts';
import { ClientSideToolV2ResultSchema } from '../../src/gen/aiserver/v1/client_side_tool_pb.ts';
import { CARRIERS, type ChatTurn, openStage, type Stage } from '../support/aiserver-client/index.ts';
import type { ScriptedCall } from '../support/native-client/scripted-model.ts';
import { chunk, DONE, startScriptedUpstream, startSse } from '../support/scripted-upstream.ts';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

function expectDone({ end, record }: ChatTurn): void {
  expect(end, record.outline.join(' ')).toEqual({ kind: 'done' });
  expect(record.violations).toEqual([]);
}

const FILES = { 'src/a.ts': 'export const alpha = 1;\n', 'b.txt': 'one\ntwo\nthree\n', 'old.txt': 'old\n' };

/** One call of each tool, its number, and what the model must read of its result. */
const CALLS: readonly (readonly [ScriptedCall, number, RegExp])[] = [
  [{ name: 'read_file', args: { path: 'b.txt', offset: 2, limit: 1 } }, 40, /two/],
  [{ name: 'list_dir', args: { target_directory: '.' } }, 39, /b\.txt/],
  [{ name: 'list_dir_v1', args: { directory_path: 'src' } }, 6, /a\.ts/],
  [{ name: 'grep', args: { pattern: 'alpha', path: 'src', output_mode: 'content' } }, 41, /alpha = 1/],
  [{ name: 'glob_file_search', args: { glob_pattern: '**/*.ts' } }, 42, /a\.ts/],
  [{ name: 'write', args: { path: 'new/c.txt', contents: 'written\n' } }, 38, /Wrote new\/c\.txt/],
  [{ name: 'search_replace', args: { path: 'b.txt', old_string: 'two', new_string: '2' } }, 7, /applied/],
  [{ name: 'delete_file', args: { path: 'old.txt' } }, 11, /./],
  [{ name: 'run_terminal_command', args: { command: 'echo here: $((6*7)); exit 3' } }, 15, /here: 42/],
  [{ name: 'todo_write', args: { merge: false, todos: [{ id: '1', content: 'Look.' }] } }, 35, /./],
];

describe.each(CARRIERS)('over %s', (carrier) => {
  it('every tool reaches the client under its number and its result the model', async () => {
    stage = await openStage({ rounds: CALLS.map(([call]) => [call]) });
    const client = await stage.client(carrier, { files: FILES });
    const { workspace } = client.options;
    const turn = await client.ask('Do it all.');
    expectDone(turn);
    expect(workspace.executed.map(({ tool }) => tool)).toEqual(CALLS.map(([, number]) => number));
    const results = stage.model?.results() ?? [];
    for (const [index, [{ name }, , expected]] of CALLS.entries())
      expect(`${name}: ${results[index]}`).toMatch(expected);
    expect(results[8]).toMatch(/here: 42\s+\[exit code 3\]$/);
    expect(await readFile(join(workspace.folder, 'new/c.txt'), 'utf8')).toBe('written\n');
    expect(await readFile(join(workspace.folder, 'b.txt'), 'utf8')).toBe('one\n2\nthree\n');
    await expect(readFile(join(workspace.folder, 'old.txt'))).rejects.toThrow(/ENOENT/);
    expect(turn.record.outline).not.toContain('parallelToolCallsComplete');
    expect(turn.record.text).toContain('All done.');
  });

  it('calls side by side are sent together, answered in any order and closed by one word', async () => {
    const read = (path: string): ScriptedCall => ({ name: 'read_file', args: { path } });
    stage = await openStage({ rounds: [[read('a'), read('b'), read('c')], [read('a')]] });
    // The last to come answers first: each result leaves when the one behind it has left.
    const left = new Map<number, () => void>();
    const hasLeft = new Map(
      [2, 3].map((index) => [index, new Promise<void>((resolve) => left.set(index, resolve))]),
    );
    const client = await stage.client(carrier, {
      files: { a: 'first', b: 'second', c: 'third' },
      before: ({ toolIndex = 0 }) => hasLeft.get(toolIndex + 1),
    });
    const turn = await client.ask('Read them.', {
      answer: (result) => {
        left.get(result.toolIndex ?? 0)?.();
        return [result];
      },
    });
    expectDone(turn);
    expect(turn.results.map(({ toolIndex }) => toolIndex)).toEqual([3, 2, 1, 1]);
    expect(turn.record.outline.filter((kind) => kind === 'parallelToolCallsComplete')).toHaveLength(1);
    expect(stage.model?.results()).toEqual(
      ['first', 'second', 'third', 'first'].map((text) => expect.stringContaining(text)),
    );
  });

  it('a tool of an MCP server is called by both names, with the arguments that the model wrote', async () => {
    stage = await openStage({ rounds: [[{ name: 'mcp_notes_add', args: { text: 'a "b" 🐈', n: 1e21 } }]] });
    const seen: string[] = [];
    const client = await stage.client(carrier, {
      mcpTools: [
        {
          server: 'notes',
          name: 'add',
          schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
          execute: (args) => {
            seen.push(args);
            return 'note 7 was kept';
          },
        },
      ],
    });
    const turn = await client.ask('Keep a note.');
    expectDone(turn);
    expect(seen).toEqual([JSON.stringify({ text: 'a "b" 🐈', n: 1e21 })]);
    expect(turn.record.calls[0]).toMatchObject({ tool: 19, name: 'mcp_notes_add' });
    expect(stage.model?.results()).toEqual([expect.stringContaining('note 7 was kept')]);
  });

  it('a client that knows reading only as number 5 reads lines by first and last', async () => {
    stage = await openStage({
      rounds: [[{ name: 'read_file', args: { path: 'b.txt', offset: 2, limit: 1 } }]],
    });
    const client = await stage.client(carrier, { files: FILES });
    const turn = await client.ask('Read.', { request: { supportedTools: [5, 6, 7] } });
    expectDone(turn);
    expect(turn.record.calls[0]).toMatchObject({
      tool: 5,
      params: {
        case: 'readFileParams',
        value: { relativeWorkspacePath: 'b.txt', startLineOneIndexed: 2, endLineOneIndexedInclusive: 2 },
      },
    });
    expect(stage.model?.results()).toEqual([expect.stringMatching(/^two\n\[lines 2 to 2 of 4\]$/)]);
  });

  it('an edit that the model writes for long is streamed, each time with all of it so far', async () => {
    const contents = Array.from({ length: 400 }, (_, index) => `line ${index}`).join('\n');
    const args = JSON.stringify({ path: 'long.txt', contents });
    const writer = await startScriptedUpstream(async (response, _request, index) => {
      startSse(response);
      if (index > 0) return response.end(chunk({ content: 'All done.' }) + chunk({}, 'stop') + DONE);
      const piece = (fields: object) => chunk({ tool_calls: [{ index: 0, ...fields }] });
      const begun = { id: 'call_w', type: 'function', function: { name: 'write', arguments: '' } };
      response.write(piece(begun));
      for (let at = 0; at < args.length; at += 200) {
        response.write(piece({ function: { arguments: args.slice(at, at + 200) } }));
        await setImmediate();
      }
      return response.end(chunk({}, 'tool_calls') + DONE);
    });
    const up = makeUpstream({ kind: 'openai-chat', baseUrl: writer.baseUrl, models: ['m'] });
    stage = await openStage({ config: (config) => ({ ...config, upstreams: { up } }) });
    const client = await stage.client(carrier, { model: 'up/m' });
    const turn = await client.ask('Write it.');
    await writer.stop();
    expectDone(turn);
    const sent = turn.record.messages.flatMap(({ response }) =>
      response.case === 'clientSideToolV2Call' ? [response.value] : [],
    );
    expect(sent.length).toBeGreaterThan(2);
    expect(sent.map(({ isLastMessage }) => isLastMessage)).toEqual([...sent.slice(1).map(() => false), true]);
    expect(sent.at(-1)?.rawArgs).toBe(args);
    expect(await readFile(join(client.options.workspace.folder, 'long.txt'), 'utf8')).toBe(contents);
    expect(client.options.workspace.executed).toHaveLength(1);
  });

  it('a call that fails or is refused by the user is a result that the model reads', async () => {
    stage = await openStage({
      rounds: [
        [{ name: 'read_file', args: { path: 'missing.txt' } }],
        [{ name: 'run_terminal_command', args: { command: 'touch made' } }],
        [{ name: 'write', args: { path: 'c.txt', contents: 'x' } }],
      ],
    });
    const client = await stage.client(carrier, {
      before: ({ tool }) => {
        if (tool === 38) throw new Error('The user refused the edit: not today.');
      },
    });
    const { folder } = client.options.workspace;
    // A refused command has a field of its own for it.
    const turn = await client.ask('Try.', {
      answer: (result) => {
        if (result.result.case !== 'runTerminalCommandV2Result') return [result];
        const { tool, toolCallId } = result;
        const refused = { case: 'runTerminalCommandV2Result' as const, value: { rejected: true } };
        return [create(ClientSideToolV2ResultSchema, { tool, toolCallId, result: refused })];
      },
    });
    expectDone(turn);
    const [missing, refused, edit] = stage.model?.results() ?? [];
    expect(missing).toMatch(/ENOENT/);
    expect(refused).toMatch(/reject|refus|declin/i);
    expect(edit).toContain('not today');
    await expect(readFile(join(folder, 'c.txt'))).rejects.toThrow(/ENOENT/);
  });

  it('a call with wrong arguments never reaches the client, and its picture closes with the reason', async () => {
    stage = await openStage({ rounds: [[{ name: 'read_file', args: { path: 7 } }]] });
    const client = await stage.client(carrier);
    const turn = await client.ask('Read.');
    expectDone(turn);
    expect(turn.record.calls).toEqual([]);
    expect(turn.record.shown[0]?.error?.modelVisibleErrorMessage).toMatch(/path/);
    expect(stage.model?.results()).toEqual([expect.stringMatching(/path/)]);
  });

  it('results that come twice, or for no call at all, change nothing', async () => {
    stage = await openStage({ rounds: [[{ name: 'read_file', args: { path: 'a' } }]] });
    const client = await stage.client(carrier, { files: { a: 'first' } });
    const turn = await client.ask('Read.', {
      answer: (result) => [
        create(ClientSideToolV2ResultSchema, { ...result, toolCallId: 'call_of_nobody' }),
        result,
        create(ClientSideToolV2ResultSchema, { tool: result.tool, toolCallId: result.toolCallId }),
      ],
    });
    expectDone(turn);
    expect(stage.model?.results()).toEqual([expect.stringContaining('first')]);
  });
});

describe('a client that brings results in its next request', () => {
  it('gets every call of the round and a good end, and the model reads what it brings', async () => {
    const rounds = [
      [
        { name: 'read_file', args: { path: 'a' } },
        { name: 'mcp_notes_add', args: { text: 'x' } },
      ],
    ];
    stage = await openStage({ rounds });
    const client = await stage.client('bidi', {
      files: { a: 'first' },
      mcpTools: [{ server: 'notes', name: 'add', execute: () => 'kept' }],
    });
    const { workspace } = client.options;
    const human = { type: MessageType.HUMAN, text: 'Read and note.', bubbleId: 'b1' };
    const asked = await client.ask('', { isStateless: true, request: { conversation: [human] } });
    expect(asked.end).toEqual({ kind: 'done' });
    expect(asked.record.violations).toEqual([]);
    expect(asked.record.calls.map(({ tool }) => tool)).toEqual([40, 19]);
    expect(stage.model?.requests).toHaveLength(1);

    const toolResults = await Promise.all(
      asked.record.calls.map(async (toolCall) => ({
        toolCallId: toolCall.toolCallId,
        toolName: toolCall.name,
        rawArgs: toolCall.rawArgs,
        ...(toolCall.modelCallId === undefined ? {} : { modelCallId: toolCall.modelCallId }),
        toolCall,
        result: await workspace.run(toolCall),
      })),
    );
    const conversation = [
      human,
      { type: MessageType.AI, text: asked.record.text, bubbleId: 'b2' },
      ...toolResults.map((entry, index) => ({
        type: MessageType.AI,
        bubbleId: `b${index + 3}`,
        toolResults: [entry],
      })),
    ];
    const answered = await client.ask('', { isStateless: true, request: { conversation } });
    expectDone(answered);
    expect(answered.record.text).toBe('All done.');
    expect(stage.model?.results()).toEqual([
      expect.stringContaining('first'),
      expect.stringContaining('kept'),
    ]);
    const rolesSent = stage.model
      ?.conversations()
      .at(-1)
      ?.map(({ role }) => role);
    expect(rolesSent?.filter((role) => role !== 'system')).toEqual(['user', 'assistant', 'tool', 'tool']);
  });
});

import { create, type DescField } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { describe, expect, it } from 'vitest';
import { countingIds, type ToolDefinition } from '../../core/index.ts';
import { type ExecServerMessage, ExecServerMessageSchema } from '../../gen/agent/v1/exec_pb.ts';
import { RequestContextSchema } from '../../gen/agent/v1/request_context_pb.ts';
import { AgentTools } from './agent-tools.ts';
import { ExecChannel, type ExecStep } from './exec-channel.ts';
import { BASH, textResult } from './fixtures/play-turn.ts';
import { KnownResults } from './known-results.ts';

const text = { type: 'string' };
const tool = (
  name: string,
  properties: Record<string, { type: string }>,
  required: string[],
): ToolDefinition => ({
  kind: 'function',
  name,
  parameters: { type: 'object', properties, required },
});

/** As OpenCode declares them. */
const OPENCODE: readonly ToolDefinition[] = [
  tool('bash', { command: text, workdir: text, description: text }, ['command', 'description']),
  tool('read', { filePath: text, offset: { type: 'integer' }, limit: { type: 'integer' } }, ['filePath']),
  tool('write', { content: text, filePath: text }, ['content', 'filePath']),
  tool('edit', { filePath: text, oldString: text, newString: text }, ['filePath', 'oldString', 'newString']),
  tool('glob', { pattern: text, path: text }, ['pattern']),
  tool('grep', { pattern: text, path: text, include: text }, ['pattern']),
  tool('list', { path: text }, []),
];

function channel(tools: readonly ToolDefinition[] = OPENCODE): ExecChannel {
  return new ExecChannel({
    tools: new AgentTools(tools),
    context: create(RequestContextSchema),
    known: new KnownResults(),
    usedCallIds: new Set(),
    newId: countingIds(),
  });
}

type ExecInit = NonNullable<Parameters<typeof create<typeof ExecServerMessageSchema>>[1]>['message'];

function exec(id: number, message: NonNullable<ExecInit>): ExecServerMessage {
  return create(ExecServerMessageSchema, { id, execId: `e${id}`, message });
}

/** The typed results of an answer, and whether it was closed as it must be. */
function answersOf({ frames }: Pick<ExecStep, 'frames'>) {
  const results = frames.flatMap(({ message }) =>
    message.case === 'execClientMessage' ? [message.value] : [],
  );
  const last = frames.at(-1)?.message;
  const closes = last?.case === 'execClientControlMessage' && last.value.message.case === 'streamClose';
  return { results, closes };
}

const variants = ExecServerMessageSchema.oneofs.find(({ name }) => name === 'message')?.fields ?? [];

describe('the exec channel', () => {
  it.each(variants.map((field): [string, DescField] => [field.name, field]))(
    'answers and closes %s when the caller has no tool for it',
    (_name, field) => {
      const message = create(ExecServerMessageSchema, { id: 7, execId: 'e7' });
      const fields = reflect(ExecServerMessageSchema, message);
      if (field.fieldKind === 'message') fields.set(field, reflect(field.message));
      const step = channel([]).receive(message);
      const { results, closes } = answersOf(step);
      expect(closes).toBe(true);
      expect(step.call).toBeUndefined();
      if (field.name === 'git_diff_request') {
        expect(step.frames[0]?.message).toMatchObject({
          value: { message: { case: 'throw', value: { id: 7 } } },
        });
        return;
      }
      expect(results).toHaveLength(1);
      expect(results[0]).toMatchObject({ id: 7, execId: 'e7' });
      expect(results[0]?.message.case).toBeDefined();
      const inner = results[0]?.message.value;
      // An inner oneof that is not set would count as "ran and produced nothing".
      if (inner && 'result' in inner) expect(inner.result).toMatchObject({ case: expect.any(String) });
    },
  );

  it('names the tools of the caller in a refusal', () => {
    const { results } = answersOf(
      channel([BASH]).receive(exec(1, { case: 'readArgs', value: { path: '/a' } })),
    );
    expect(results[0]?.message).toMatchObject({
      case: 'readResult',
      value: { result: { case: 'rejected', value: { path: '/a', reason: expect.stringContaining('bash') } } },
    });
  });

  it('lists the tools when an unknown one is called', () => {
    const { results } = answersOf(
      channel([BASH]).receive(exec(1, { case: 'mcpArgs', value: { toolName: 'nope' } })),
    );
    expect(results[0]?.message).toMatchObject({
      value: { result: { case: 'toolNotFound', value: { name: 'nope', availableTools: ['bash'] } } },
    });
  });

  const mapped: [string, NonNullable<ExecInit>, string, object][] = [
    [
      'read',
      { case: 'readArgs', value: { path: '/a', offset: 3, toolCallId: 't' } },
      'read',
      { filePath: '/a', offset: 3 },
    ],
    ['redacted read', { case: 'redactedReadArgs', value: { path: '/a' } }, 'read', { filePath: '/a' }],
    [
      'write',
      { case: 'writeArgs', value: { path: '/a', fileText: 'x' } },
      'write',
      { content: 'x', filePath: '/a' },
    ],
    ['ls', { case: 'lsArgs', value: { path: '/d' } }, 'list', { path: '/d' }],
    [
      'grep',
      { case: 'grepArgs', value: { pattern: 'x', glob: '*.ts' } },
      'grep',
      { pattern: 'x', include: '*.ts' },
    ],
    [
      'glob',
      { case: 'grepArgs', value: { pattern: '', glob: '*.ts', path: '/d' } },
      'glob',
      { pattern: '*.ts', path: '/d' },
    ],
    [
      'shell',
      { case: 'shellArgs', value: { command: 'ls', workingDirectory: '/d' } },
      'bash',
      { command: 'ls', workdir: '/d', description: 'Runs a command for the model.' },
    ],
    ['pi read', { case: 'piReadArgs', value: { path: '/a' } }, 'read', { filePath: '/a' }],
    [
      'pi bash',
      { case: 'piBashArgs', value: { command: 'ls' } },
      'bash',
      { command: 'ls', description: 'Runs a command for the model.' },
    ],
    [
      'pi edit',
      { case: 'piEditArgs', value: { path: '/a', edits: [{ oldText: 'x', newText: 'y' }] } },
      'edit',
      { filePath: '/a', oldString: 'x', newString: 'y' },
    ],
    [
      'pi write',
      { case: 'piWriteArgs', value: { path: '/a', content: 'x' } },
      'write',
      { content: 'x', filePath: '/a' },
    ],
    ['pi grep', { case: 'piGrepArgs', value: { pattern: 'x' } }, 'grep', { pattern: 'x' }],
    ['pi find', { case: 'piFindArgs', value: { pattern: '*.ts' } }, 'glob', { pattern: '*.ts' }],
    ['pi ls', { case: 'piLsArgs', value: {} }, 'list', {}],
  ];
  it.each(mapped)('gives a built-in %s to the tool of the caller', (_name, message, name, input) => {
    const step = channel().receive(exec(1, message));
    expect(step.frames).toEqual([]);
    expect(step.call).toMatchObject({ name, kind: 'function' });
    expect(JSON.parse(step.call?.argumentsText ?? '')).toEqual(input);
  });

  it.each(mapped)(
    'turns the result of the caller into the typed result of %s, errors too',
    (_name, message) => {
      for (const isError of [false, true]) {
        const execs = channel();
        const { call } = execs.receive(exec(1, message));
        const { results, closes } = answersOf({
          frames: execs.answer(textResult(call?.callId ?? '', 'some text', isError)),
        });
        expect(closes).toBe(true);
        expect(results[0]?.message.case).toBeDefined();
        const written = JSON.stringify(
          results.map((result) => result.message),
          (_key, value) => (typeof value === 'bigint' ? String(value) : value),
        );
        expect(written).toContain(isError ? /"(error|failure)"/.exec(written)?.[0] : '"success"');
        if (isError) expect(written).toContain('some text');
        expect(execs.answer(textResult(call?.callId ?? '', 'again'))).toEqual([]);
      }
    },
  );

  it('answers a shell stream with start, output and exit', () => {
    const execs = channel();
    const { call } = execs.receive(
      exec(1, { case: 'shellStreamArgs', value: { command: 'ls', workingDirectory: '/d' } }),
    );
    const { results, closes } = answersOf({ frames: execs.answer(textResult(call?.callId ?? '', 'a.txt')) });
    expect(closes).toBe(true);
    expect(results.map(({ message }) => message.case === 'shellStream' && message.value.event.case)).toEqual([
      'start',
      'stdout',
      'exit',
    ]);
  });

  it('never lets a write follow a read under one id: that is an edit of text it may have seen only in part', () => {
    const execs = channel();
    const { call } = execs.receive(exec(1, { case: 'readArgs', value: { path: '/a', toolCallId: 't' } }));
    expect(call?.callId).toBe('t');
    execs.answer(textResult('t', '1| x'));
    const { results } = answersOf(
      execs.receive(exec(2, { case: 'writeArgs', value: { path: '/a', fileText: '1| y', toolCallId: 't' } })),
    );
    expect(results[0]?.message).toMatchObject({
      case: 'writeResult',
      value: { result: { case: 'rejected', value: { reason: expect.stringContaining('edit') } } },
    });
  });

  it('refuses the read of an announced edit at once', () => {
    const execs = channel();
    execs.noteEdit('t');
    const step = execs.receive(exec(1, { case: 'readArgs', value: { path: '/a', toolCallId: 't' } }));
    expect(step.call).toBeUndefined();
    expect(answersOf(step).results[0]?.message).toMatchObject({ value: { result: { case: 'rejected' } } });
  });

  it('refuses what a tool of the caller cannot promise', () => {
    const background = exec(1, { case: 'shellArgs', value: { command: 'sleep 9', isBackground: true } });
    expect(channel().receive(background).call).toBeUndefined();
    const bytes = exec(2, { case: 'writeArgs', value: { path: '/a', fileBytes: new Uint8Array([1]) } });
    expect(channel().receive(bytes).call).toBeUndefined();
    const needsMore = [
      tool('write', { filePath: text, content: text, ticket: text }, ['filePath', 'content', 'ticket']),
    ];
    expect(
      channel(needsMore).receive(exec(3, { case: 'writeArgs', value: { path: '/a', fileText: 'x' } })).call,
    ).toBeUndefined();
  });

  it('runs a command line through a shell for tools that take argument lists', () => {
    const codex = tool('shell', { command: { type: 'array' }, workdir: text }, ['command']);
    const { call } = channel([codex]).receive(exec(1, { case: 'shellArgs', value: { command: 'ls | wc' } }));
    expect(JSON.parse(call?.argumentsText ?? '')).toEqual({ command: ['bash', '-lc', 'ls | wc'] });
  });

  it('takes back a call that the backend aborts', () => {
    const execs = channel();
    const { call } = execs.receive(exec(4, { case: 'shellArgs', value: { command: 'ls', toolCallId: 't' } }));
    expect(call?.callId).toBe('t');
    expect(execs.abort(4)?.callId).toBe('t');
    expect(execs.pendingCalls).toEqual([]);
    expect(execs.answer(textResult('t', 'late'))).toEqual([]);
  });

  it('answers each kind of hook with the empty response of the same kind', () => {
    const step = channel().receive(
      exec(1, {
        case: 'executeHookArgs',
        value: { request: { request: { case: 'preToolUse', value: {} } } },
      }),
    );
    expect(answersOf(step).results[0]?.message).toMatchObject({
      value: { response: { response: { case: 'preToolUse' } } },
    });
  });

  it('says which kinds of exec it does not know', () => {
    const unknown = create(ExecServerMessageSchema, { id: 3 });
    unknown.$unknown = [{ no: 99, wireType: 2, data: new Uint8Array([0]) }];
    const step = channel().receive(unknown);
    expect(step.unknownFields).toEqual([99]);
    expect(answersOf(step).closes).toBe(true);
  });
});

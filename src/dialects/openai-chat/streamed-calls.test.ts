import { describe, expect, it } from 'vitest';
import {
  countingIds,
  findGrammarProblem,
  type GatewayError,
  type JsonObject,
  type TurnEvent,
} from '../../core/index.ts';
import type { ToolOrigin } from './tool-names.ts';
import { ChatTurnDecoder } from './turn-decoder.ts';

type Frame = JsonObject | string;

function decode(
  frames: readonly Frame[],
  toolOrigins: ReadonlyMap<string, ToolOrigin> = new Map(),
): TurnEvent[] {
  const decoder = new ChatTurnDecoder({ newId: countingIds(), toolOrigins });
  const events = frames.flatMap((frame) =>
    decoder.step({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) }),
  );
  events.push(...decoder.halt());
  expect(findGrammarProblem(events)).toBeUndefined();
  expect(decoder.isDone).toBe(true);
  return events;
}

function delta(value: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject {
  return {
    id: 'c1',
    created: 5,
    model: 'm',
    choices: [{ index: 0, delta: value, finish_reason: finish, ...more }],
  };
}

function calls(...items: JsonObject[]): JsonObject {
  return delta({ tool_calls: items });
}

const finish = (word: string) => delta({}, word);

function end(events: readonly TurnEvent[]) {
  const last = events.at(-1);
  if (last?.type !== 'turn-end') throw new Error(`not an end: ${JSON.stringify(last)}`);
  return last;
}

function error(events: readonly TurnEvent[]): GatewayError {
  const last = events.at(-1);
  if (last?.type !== 'turn-error') throw new Error(`not an error: ${JSON.stringify(last)}`);
  return last.error;
}

function toolCalls(events: readonly TurnEvent[]) {
  return events
    .filter((event) => event.type === 'tool-call')
    .map(({ callId, name, kind, argumentsText }) => ({ callId, name, kind, argumentsText }));
}

describe('tool calls', () => {
  const fn = (name: string, args: string) => ({ name, arguments: args });

  it('are assembled when they interleave', () => {
    const events = decode([
      calls({ index: 0, id: 'a', type: 'function', function: fn('f', '') }),
      calls({ index: 1, id: 'b', type: 'function', function: fn('g', '') }),
      calls({ index: 1, function: { arguments: '{"y":' } }),
      calls({ index: 0, function: { arguments: '{"x":1}' } }),
      calls({ index: 1, function: { arguments: '2}' } }),
      finish('tool_calls'),
      '[DONE]',
    ]);
    expect(toolCalls(events)).toEqual([
      { callId: 'a', name: 'f', kind: 'function', argumentsText: '{"x":1}' },
      { callId: 'b', name: 'g', kind: 'function', argumentsText: '{"y":2}' },
    ]);
    expect(end(events)).toEqual({ type: 'turn-end', reason: 'tool-calls' });
  });

  const one = [{ callId: 'a', name: 'f', kind: 'function', argumentsText: '{"x":1}' }];
  const quirks: [string, JsonObject[], unknown][] = [
    [
      'id and name come apart',
      [
        { index: 0, id: 'a' },
        { index: 0, function: { name: 'f' } },
        { index: 0, function: { arguments: '{"x":1}' } },
      ],
      one,
    ],
    [
      'name comes before the id',
      [
        { index: 0, function: { name: 'f' } },
        { index: 0, id: 'a' },
        { index: 0, function: { arguments: '{"x":1}' } },
      ],
      one,
    ],
    [
      'the name is repeated',
      [
        { index: 0, id: 'a', function: fn('f', '{"x"') },
        { index: 0, id: 'a', function: fn('f', ':1}') },
      ],
      one,
    ],
    [
      'the name is empty later',
      [
        { index: 0, id: 'a', function: fn('f', '{"x"') },
        { index: 0, id: '', function: fn('', ':1}') },
      ],
      one,
    ],
    [
      'the name is null later',
      [
        { index: 0, id: 'a', function: fn('f', '{"x"') },
        { index: 0, id: null, function: { name: null, arguments: ':1}' } },
      ],
      one,
    ],
    [
      'there is no index',
      [
        { id: 'a', function: fn('f', '{"x"') },
        { id: 'a', function: { arguments: ':1}' } },
      ],
      one,
    ],
    [
      'there is neither index nor id later',
      [{ id: 'a', function: fn('f', '{"x"') }, { function: { arguments: ':1}' } }],
      one,
    ],
    [
      'each delta has another id',
      [
        { index: 0, id: 'a', function: fn('f', '{"x"') },
        { index: 0, id: 'zz', function: { arguments: ':1}' } },
      ],
      one,
    ],
    [
      'the index counts deltas',
      [
        { index: 0, id: 'a', function: fn('f', '{"x"') },
        { index: 1, id: 'a', function: { arguments: ':1}' } },
      ],
      one,
    ],
    ['arguments are an object', [{ index: 0, id: 'a', function: { name: 'f', arguments: { x: 1 } } }], one],
    [
      'there is no id at all',
      [{ index: 0, function: fn('f', '{"x":1}') }],
      [{ ...one[0], callId: 'call_1' }],
    ],
    [
      'there are no arguments',
      [{ index: 0, id: 'a', function: { name: 'f' } }],
      [{ ...one[0], argumentsText: '' }],
    ],
    [
      'every call has index 0',
      [
        { index: 0, id: 'a', function: fn('f', '{"x":1}') },
        { index: 0, id: 'b', function: fn('g', '{}') },
      ],
      [...one, { callId: 'b', name: 'g', kind: 'function', argumentsText: '{}' }],
    ],
    [
      'two calls share an id',
      [
        { index: 0, id: 'a', function: fn('f', '{"x":1}') },
        { index: 1, id: 'a', function: fn('g', '{}') },
      ],
      [...one, { callId: 'call_1', name: 'g', kind: 'function', argumentsText: '{}' }],
    ],
    [
      'a call is custom',
      [
        { index: 0, id: 'a', type: 'custom', custom: { name: 'p', input: '' } },
        { index: 0, custom: { input: '*** go' } },
      ],
      [{ callId: 'a', name: 'p', kind: 'custom', argumentsText: '*** go' }],
    ],
  ];
  it.each(quirks)('are understood when %s', (_what, deltas, expected) => {
    const events = decode([...deltas.map((item) => calls(item)), finish('tool_calls'), '[DONE]']);
    expect(toolCalls(events)).toEqual(expected);
    expect(end(events).reason).toBe('tool-calls');
  });

  it('decide the finish when the server says stop, or nothing', () => {
    const call = calls({ index: 0, id: 'a', function: fn('f', '{}') });
    expect(end(decode([call, finish('stop')]))).toMatchObject({ reason: 'tool-calls', rawReason: 'stop' });
    expect(end(decode([call, '[DONE]'])).reason).toBe('tool-calls');
  });

  it('of the legacy form are calls like any other', () => {
    const events = decode([
      delta({ function_call: { name: 'f', arguments: '' } }),
      delta({ function_call: { arguments: '{"x":1}' } }),
      finish('function_call'),
    ]);
    expect(toolCalls(events)).toEqual([{ ...one[0], callId: 'call_1' }]);
    expect(end(events).reason).toBe('tool-calls');
  });

  it('are no calls when the output limit cut their arguments', () => {
    const events = decode([
      calls({ index: 0, id: 'a', function: fn('f', '{"x":1}') }),
      calls({ index: 1, id: 'b', function: fn('g', '{"y":') }),
      finish('length'),
    ]);
    expect(toolCalls(events)).toEqual(one);
    expect(end(events).reason).toBe('length');
  });

  it('without a name are an error, not an answer', () => {
    const events = decode([
      calls({ index: 0, id: 'a', function: { arguments: '{}' } }),
      finish('tool_calls'),
    ]);
    expect(error(events)).toMatchObject({ code: 'upstream-malformed' });
  });

  it('get their raw text and their own names back', () => {
    const origins = new Map<string, ToolOrigin>([
      ['apply_patch', { name: 'apply_patch', isLowered: true }],
      ['shell__run', { name: 'run', namespace: 'shell', isLowered: false }],
    ]);
    const patch = '*** Begin\n+ü "quoted"\n';
    const wrapped = JSON.stringify({ input: patch });
    const events = decode(
      [
        calls({ index: 0, id: 'a', function: fn('apply_patch', wrapped.slice(0, 9)) }),
        calls({ index: 0, function: { arguments: wrapped.slice(9) } }),
        calls({ index: 1, id: 'b', function: fn('shell__run', '{}') }),
        finish('tool_calls'),
      ],
      origins,
    );
    expect(toolCalls(events)).toEqual([
      { callId: 'a', name: 'apply_patch', kind: 'custom', argumentsText: patch },
      { callId: 'b', name: 'run', kind: 'function', argumentsText: '{}' },
    ]);
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({ input: patch });
    expect(events.filter(({ type }) => type === 'tool-input-start')[1]).toMatchObject({ namespace: 'shell' });
  });

  it.each([
    ['{"patch":"raw"}', 'raw'],
    ['not json at all', 'not json at all'],
    ['{"input":"a","more":1}', '{"input":"a","more":1}'],
  ])('that were lowered tolerate what models make of it: %s', (sent, expected) => {
    const origins = new Map<string, ToolOrigin>([['p', { name: 'p', isLowered: true }]]);
    const events = decode(
      [calls({ index: 0, id: 'a', function: fn('p', sent) }), finish('tool_calls')],
      origins,
    );
    expect(toolCalls(events)[0]?.argumentsText).toBe(expected);
  });
});

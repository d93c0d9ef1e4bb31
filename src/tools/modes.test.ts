import { describe, expect, it } from 'vitest';
import {
  ASK_QUESTION_GATE,
  findModeRefusal,
  isOffered,
  KNOWLEDGE_BASE_GATE,
  type ModeCall,
} from './modes.ts';
import { MODES, type Touch } from './tool.ts';

const offeredIn = (number: number, gates = {}) => MODES.filter((mode) => isOffered(number, mode, gates));

describe('what a mode offers', () => {
  it.each([
    ['web search', 18, {}, ['agent', 'chat', 'search']],
    ['knowledge base', 25, {}, []],
    ['knowledge base behind its gate', 25, { [KNOWLEDGE_BASE_GATE]: true }, [...MODES]],
    ['tasks', 32, {}, ['agent', 'chat', 'search']],
    ['questions', 51, {}, ['plan']],
    ['questions behind their gate', 51, { [ASK_QUESTION_GATE]: true }, [...MODES]],
    ['reading', 40, {}, [...MODES]],
    ['editing', 38, {}, ['agent', 'debug']],
    ['the shell', 15, {}, ['agent', 'debug']],
    ['deleting', 11, {}, ['agent', 'debug']],
  ])('%s', (_, number, gates, modes) => expect(offeredIn(number, gates)).toEqual(modes));
});

const call = (tool: Partial<ModeCall['tool']>, touches: readonly Touch[] = []): ModeCall => ({
  tool: { name: 'some_tool', number: 999, risk: 'none', modes: MODES, ...tool },
  touches,
});

describe('chat, plan and search only read', () => {
  const changes: readonly (readonly [string, ModeCall])[] = [
    ['a tool of risk write', call({ risk: 'write' })],
    ['a tool of risk execute', call({ risk: 'execute' })],
    ['a number that edits, under a harmless name and risk', call({ number: 38, name: 'read_file' })],
    ['a number that runs, under a harmless name and risk', call({ number: 15, name: 'look' })],
    ['a path to be written', call({ risk: 'read' }, [{ type: 'path', path: '/a', access: 'write' }])],
    ['a path to be deleted', call({ risk: 'read' }, [{ type: 'path', path: '/a', access: 'delete' }])],
    ['a command', call({ risk: 'none' }, [{ type: 'command', command: 'ls', cwd: '/' }])],
    ['an MCP tool nobody vouches for', call({ number: 19 }, [{ type: 'mcp', server: 's', tool: 't' }])],
    [
      'an MCP tool named like the reading of a resource',
      {
        ...call({ number: 19, risk: 'execute' }, [{ type: 'mcp', server: 's', tool: 'resources/read' }]),
        isReadOnlyMcp: () => true,
      },
    ],
    [
      'a tool of a server behind the reading of a resource',
      call({ number: 45, risk: 'read' }, [{ type: 'mcp', server: 's', tool: 't' }]),
    ],
    [
      'a resource saved to a file',
      call({ number: 45, risk: 'read' }, [
        { type: 'mcp', server: 's', tool: 'resources/read' },
        { type: 'path', path: '/a', access: 'write' },
      ]),
    ],
    [
      'a plan written over code',
      call({ number: 43, risk: 'write' }, [{ type: 'path', path: '/src/a.ts', access: 'write' }]),
    ],
  ];

  it.each(changes)('%s is refused', (_, refused) => {
    for (const mode of ['chat', 'plan', 'search'] as const)
      expect(findModeRefusal(refused, mode, {})).toMatch(new RegExp(mode));
  });

  it('reading, MCP tools that only read, and the plan itself pass', () => {
    const read = call({ risk: 'read' }, [{ type: 'path', path: '/a', access: 'read' }]);
    const mcp = {
      ...call({ number: 19, risk: 'execute' }, [{ type: 'mcp', server: 's', tool: 't' }]),
      isReadOnlyMcp: () => true,
    };
    const plan = call({ number: 43, risk: 'write' }, [
      { type: 'path', path: '/w/.cursor/plans/a.plan.md', access: 'write' },
    ]);
    expect(findModeRefusal(read, 'chat', {})).toBeUndefined();
    expect(findModeRefusal(mcp, 'plan', {})).toBeUndefined();
    expect(findModeRefusal({ ...mcp, tool: { ...mcp.tool, number: 49 } }, 'plan', {})).toBeUndefined();
    expect(findModeRefusal(plan, 'plan', {})).toBeUndefined();
  });

  it.each([
    [44, 'resources/list'],
    [45, 'resources/read'],
  ])('resources are read by tool %i, whatever is known of the server', (number, tool) => {
    const reading = call({ number, risk: 'read' }, [{ type: 'mcp', server: 's', tool }]);
    for (const mode of MODES) expect(findModeRefusal(reading, mode, {})).toBeUndefined();
  });

  it('agent and debug change things', () => {
    for (const mode of ['agent', 'debug'] as const)
      expect(findModeRefusal(call({ number: 38, risk: 'write' }), mode, {})).toBeUndefined();
  });

  it("a tool's own list of modes holds, and the refusal says where it belongs", () => {
    expect(findModeRefusal(call({ modes: ['plan'] }), 'agent', {})).toMatch(
      /not available in agent mode.*plan mode/,
    );
  });
});

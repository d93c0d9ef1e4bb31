import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { declareTools, type McpServerEntry } from './declare-tools.ts';
import { defineTool, MODES } from './tool.ts';
import { succeed } from './tool-outcome.ts';

const MCP: readonly McpServerEntry[] = [
  {
    server: 'playwright',
    tools: [
      { name: 'screenshot', description: 'Take a screenshot', isReadOnly: true },
      { name: 'click', description: 'Click an element', schema: { type: 'object' } },
    ],
  },
];

describe('the declaration of tools', () => {
  it('lists numbers without the retired ones and without MCP, which is sent by server', () => {
    const { supportedTools, mcpTools } = declareTools('agent', {}, MCP);
    for (const number of [40, 38, 39, 15, 18, 41, 49]) expect(supportedTools).toContain(number);
    for (const number of [19, 3, 5, 6, 16]) expect(supportedTools).not.toContain(number);
    expect(mcpTools).toEqual([
      {
        server_name: 'playwright',
        tools: [
          { name: 'screenshot', description: 'Take a screenshot' },
          { name: 'click', description: 'Click an element', schema: { type: 'object' } },
        ],
      },
    ]);
  });

  it('follows mode and gates', () => {
    const plan = declareTools('plan', {}, []).supportedTools;
    expect(plan).toContain(51);
    for (const number of [18, 32, 25, 38, 15]) expect(plan).not.toContain(number);
    const gated = declareTools('agent', { knowledge_base_enabled: true, ask_question_all_modes: true }, []);
    expect(gated.supportedTools).toEqual(expect.arrayContaining([25, 51]));
  });

  it('offers only MCP tools that read where only reading is possible', () => {
    expect(declareTools('chat', {}, MCP).mcpTools).toEqual([
      { server_name: 'playwright', tools: [{ name: 'screenshot', description: 'Take a screenshot' }] },
    ]);
  });

  it('narrows to what a runtime has', () => {
    const tool = (number: number, status: 'local' | 'remote-only' | 'retired') =>
      defineTool({
        number,
        name: `tool_${number}_${status}`,
        description: '',
        args: z.object({}),
        risk: 'read',
        modes: MODES,
        parallel: 'any',
        status,
        touches: () => [],
        run: async () => succeed(''),
      });
    const tools = [
      tool(42, 'local'),
      tool(40, 'local'),
      tool(42, 'local'),
      tool(54, 'remote-only'),
      tool(5, 'retired'),
    ];
    expect(declareTools('agent', {}, [], tools).supportedTools).toEqual([40, 42]);
  });
});

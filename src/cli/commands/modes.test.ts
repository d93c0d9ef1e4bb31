import { describe, expect, it } from 'vitest';
import { declareTools } from '../../tools/declare-tools.ts';
import { BUILTIN_TOOLS } from '../../tools/registry.ts';
import { MODES } from '../../tools/tool.ts';
import { createTestCli } from '../fixtures/test-context.ts';

describe('crosspoint modes', () => {
  it('prints what a client would declare in each mode', async () => {
    const { code, output } = await createTestCli().run('modes', '--json');
    expect(code).toBe(0);
    const expected = MODES.map((mode) => ({
      mode,
      supportedTools: declareTools(mode, {}, [], BUILTIN_TOOLS).supportedTools,
    }));
    expect(JSON.parse(output)).toMatchObject(expected);
  });

  it('gives each number its tools, and modes that only read no tool that changes something', async () => {
    const { output } = await createTestCli().run('modes', '--json');
    for (const { readOnly, supportedTools, tools } of JSON.parse(output)) {
      const named = BUILTIN_TOOLS.filter(({ name }) => tools.includes(name));
      expect([...new Set(named.map(({ number }) => number))].sort((a, b) => a - b)).toEqual(supportedTools);
      for (const name of ['write', 'delete_file', 'run_terminal_command'])
        expect(tools.includes(name)).toBe(!readOnly);
    }
  });

  it('names the gates that hold tools back', async () => {
    const { output } = await createTestCli().run('modes', '--json');
    const [agent] = JSON.parse(output);
    expect(agent.gated).toEqual([
      { gate: 'knowledge_base_enabled', tools: ['knowledge_base'] },
      { gate: 'ask_question_all_modes', tools: ['ask_question'] },
    ]);
  });

  it('says for people what each mode may do', async () => {
    const { output } = await createTestCli().run('modes');
    for (const mode of MODES) expect(output).toMatch(new RegExp(`^${mode} {2}\\d+ tools\\n {2}\\S`, 'm'));
    expect(output).toContain('  with ask_question_all_modes: ask_question\n');
    expect(Math.max(...output.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });
});

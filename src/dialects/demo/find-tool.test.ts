import { describe, expect, it } from 'vitest';
import { type CallableTool, findToolByName, findTools, jobsOf } from './find-tool.ts';

const named = (...names: string[]): CallableTool[] => names.map((name) => ({ kind: 'function', name }));
const namesOf = (tools: readonly CallableTool[]) => tools.map(({ name }) => name);

describe('findTools', () => {
  it('knows a tool by any spelling of its name', () => {
    const tools = named(
      'Read',
      'read_file',
      'ReadFile',
      'READ-FILES',
      'mcp__fs__read_file',
      'fs_read_file',
      'fs.readFile',
    );
    expect(findTools('read', tools)).toHaveLength(tools.length);
  });

  it('prefers plain names to prefixed ones, and a named tool to all', () => {
    const tools = named('mcp__box__bash', 'exec_command', 'Shell');
    expect(namesOf(findTools('run', tools))).toEqual(['Shell', 'exec_command', 'mcp__box__bash']);
    expect(namesOf(findTools('run', tools, 'exec_command'))[0]).toBe('exec_command');
  });

  it('is not fooled by names that end like another', () => {
    const tools = named(
      'todo_read',
      'TodoWrite',
      'todo_write',
      'NotebookEdit',
      'write_stdin',
      'team_read_mailbox',
      'read_lints',
      'mcp__x__todo_write',
    );
    for (const job of ['read', 'write', 'edit', 'run'] as const)
      expect(namesOf(findTools(job, tools))).toEqual([]);
    expect(findTools('todo', tools)).toHaveLength(3);
  });

  it('finds a tool the user names loosely', () => {
    const tools = named('get_weather', 'mcp__crm__find_customer');
    expect(findToolByName('GetWeather', tools)?.name).toBe('get_weather');
    expect(findToolByName('find_customer', tools)?.name).toBe('mcp__crm__find_customer');
    expect(findToolByName('nothing', tools)).toBeUndefined();
  });

  it('says what a name stands for', () => {
    expect(jobsOf('Bash')).toEqual(['run']);
    expect(jobsOf('weather')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { subAgentPort } from '../planning/sub-agent-port.ts';
import { deepSearch } from './deep-search.ts';
import { tempWorkspace } from './fixtures/temp-workspace.ts';

describe('deep_search', () => {
  it('says what to use instead when no agent is connected', async () => {
    const space = tempWorkspace({});
    const outcome = await space.call(deepSearch, { query: 'how does it work' });
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: 'UNAVAILABLE', message: expect.stringContaining('codebase_search') },
    });
    await space.dispose();
  });

  it('hands the question to the agent and gives its words', async () => {
    const space = tempWorkspace({});
    const tasks: string[] = [];
    space.context.resources.set(subAgentPort, {
      run: async (task) => {
        expect(task.isReadOnly).toBe(true);
        tasks.push(task.prompt);
        return { text: 'in src/a.ts', isSuccess: !task.prompt.includes('fail') };
      },
    });
    expect((await space.ask(deepSearch, { question: 'where?' })).content).toBe('in src/a.ts');
    expect(tasks[0]).toContain('where?');
    expect(await space.call(deepSearch, { query: 'fail' })).toMatchObject({
      ok: false,
      error: { code: 'FAILED' },
    });
    await space.dispose();
  });
});

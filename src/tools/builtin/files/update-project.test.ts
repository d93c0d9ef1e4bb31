import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ToolBench } from './fixtures/tool-bench.ts';
import { readProject } from './read-project.ts';
import { updateProject } from './update-project.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

describe('project notes', () => {
  it('are empty at first', async () => {
    const outcome = await bench.succeed(readProject, undefined);
    expect(outcome.content).toContain('no project notes yet');
    expect(outcome.data).toEqual({ plan: '' });
  });

  it('grow and change, and are there after a restart', async () => {
    await bench.succeed(updateProject, {
      string_replacements: [{ old_string: '', new_string: '# Plan\nstep one\n' }],
    });
    const outcome = await bench.succeed(updateProject, {
      stringReplacements: [
        { oldString: 'one', newString: '1' },
        { old_string: '', new_string: 'step two' },
      ],
      summary: 'Two steps.',
    });
    expect(outcome.data).toEqual({ success: true, updated_plan: '# Plan\nstep 1\nstep two' });
    bench.restart();
    expect((await bench.succeed(readProject, {})).content).toBe('# Plan\nstep 1\nstep two');
  });

  it('change all or not at all', async () => {
    await bench.succeed(updateProject, { string_replacements: [{ old_string: '', new_string: 'a' }] });
    const edits = [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'q', new_string: 'r' },
    ];
    expect((await bench.fail(updateProject, { string_replacements: edits })).code).toBe('NO_MATCH');
    expect((await bench.succeed(readProject, {})).content).toBe('a');
  });

  it('live in the state folder, and the call says so', async () => {
    const [touch] = await bench.touches(updateProject, {
      string_replacements: [{ old_string: '', new_string: 'a' }],
    });
    expect(touch).toMatchObject({ type: 'path', access: 'write' });
    expect(touch?.type === 'path' && touch.path.startsWith(bench.stateFolder)).toBe(true);
  });
});

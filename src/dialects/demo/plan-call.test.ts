import { describe, expect, it } from 'vitest';
import type { CallableTool } from './find-tool.ts';
import { planCall } from './plan-call.ts';

const script: CallableTool = {
  kind: 'custom',
  name: 'exec',
  description:
    'Run JavaScript code; nested tools are on the global `tools` object, e.g. `await tools.exec_command(...)`',
};
const shell: CallableTool = { kind: 'custom', name: 'exec', description: 'Runs a shell command' };

describe('a custom tool that runs things', () => {
  it('gets JavaScript when it takes JavaScript, as the newest Codex models have it', () => {
    const run = planCall({ kind: 'run', command: 'echo "hi"' }, { tools: [script], words: [] });
    expect(run?.argumentsText).toBe('text(await tools.exec_command({"cmd":"echo \\"hi\\""}));');
    const read = planCall({ kind: 'read', path: 'notes.txt' }, { tools: [script], words: [] });
    expect(read?.argumentsText).toMatch(/^text\(await tools\.exec_command\(\{"cmd":"cat .*notes\.txt/);
  });

  it('gets the command itself otherwise', () => {
    expect(planCall({ kind: 'run', command: 'ls' }, { tools: [shell], words: [] })?.argumentsText).toBe('ls');
  });
});

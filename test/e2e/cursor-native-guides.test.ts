// The guides for Cursor's SDK and CLI: what they tell to set is what `crosspoint connect` prints, and files they name exist.
// The program that the SDK's guide shows is run, as it stands there, by test/interop/cursor-sdk.test.ts.
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, runProgram } from '../support/program.ts';

describe.each(['cursor-sdk', 'cursor-cli'])('docs/guides/%s.md', (client) => {
  const file = join(ROOT, `docs/guides/${client}.md`);
  const guide = readFileSync(file, 'utf8');

  it('shows the two lines that `crosspoint connect` prints', async () => {
    const home = mkdtempSync(join(tmpdir(), 'crosspoint-guide-'));
    const { stdout, code } = await runProgram(['connect', client, '--model', 'demo/demo'], { home });
    expect(code).toBe(0);
    const lines = /^```sh\n([\s\S]*?)^```$/m.exec(guide)?.[1]?.trim().split('\n') ?? [];
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(stdout).toContain(line);
  });

  it('names files that are there', () => {
    for (const [, path] of guide.matchAll(/\]\(([^)#:]+)\)/g))
      expect(existsSync(join(dirname(file), path ?? '')), path).toBe(true);
  });
});

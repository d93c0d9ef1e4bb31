import { existsSync } from 'node:fs';
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyAgentDiff } from './apply-agent-diff.ts';
import { ToolBench } from './fixtures/tool-bench.ts';

let bench: ToolBench;
beforeEach(() => {
  bench = new ToolBench();
});
afterEach(() => bench.dispose());

describe('apply_agent_diff', () => {
  it('applies what git diff writes: changes, new, deleted and renamed files', async () => {
    bench.put('src/a', 'one\ntwo\nthree\n');
    bench.put('gone', 'bye\n');
    bench.put('old name', 'same\n');
    const diff = `diff --git a/src/a b/src/a
index 1..2 100644
--- a/src/a
+++ b/src/a
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/new b/new
new file mode 100644
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+hello
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
`;
    const outcome = await bench.succeed(applyAgentDiff, { agent_id: 'bc-1', diff });
    expect(bench.text('src/a')).toBe('one\n2\nthree\n');
    expect(bench.text('new')).toBe('hello');
    expect(existsSync(bench.path('gone'))).toBe(false);
    expect(bench.text('new name')).toBe('same\n');
    expect(outcome.data).toMatchObject({
      applied_changes: [{ path: 'src/a' }, { path: 'new' }, { path: 'gone' }, { path: 'old name' }],
    });
  });

  it('finds hunks that have moved', async () => {
    bench.put('a', 'x\nx\nx\none\ntwo\n');
    await bench.succeed(applyAgentDiff, { diff: '--- a\n+++ a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n' });
    expect(bench.text('a')).toBe('x\nx\nx\none\n2\n');
  });

  it.each([
    ['only an agent id', { agent_id: 'bc-1' }, 'UNAVAILABLE', 'agent bc-1'],
    ['nothing', {}, 'UNAVAILABLE', 'no diff'],
    ['text that is no diff', { diff: 'hello' }, 'EINVAL', 'names no file'],
    ['a broken hunk', { diff: '--- a\n+++ a\n@@ -1,3 +1,3 @@\n x\n' }, 'EINVAL', 'cannot be read'],
    ['hunks that do not fit', { diff: '--- a\n+++ a\n@@ -1 +1 @@\n-q\n+r\n' }, 'NO_MATCH', 'does not fit'],
    [
      'binary content',
      { diff: 'diff --git a/p b/p\nindex 1..2 100644\nBinary files a/p and b/p differ\n' },
      'BINARY',
      'binary',
    ],
  ])('refuses %s', async (_name, args, code, message) => {
    bench.put('a', 'x\n');
    const error = await bench.fail(applyAgentDiff, args);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });

  it('turns the first text into the second, last line break included', async () => {
    const textArb = fc.string({
      unit: fc.constantFrom('a', 'b', '\n', '-', '+'),
      minLength: 1,
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(textArb, textArb, async (before, after) => {
        fc.pre(before !== after);
        bench.put('a', before);
        bench.restart();
        await bench.succeed(applyAgentDiff, { diff: createTwoFilesPatch('a/a', 'b/a', before, after) });
        expect(bench.text('a')).toBe(after);
      }),
      { numRuns: 150 },
    );
  });
});

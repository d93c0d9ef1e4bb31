import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { checkMermaid } from './check-mermaid.ts';
import { createDiagram } from './create-diagram.ts';

let place: TempWorkspace;
beforeEach(() => {
  place = tempWorkspace({});
});
afterEach(() => place.dispose());

test('a sound diagram is kept as a file, also out of a code block', async () => {
  const outcome = await place.ask(createDiagram, {
    content: '```mermaid\nflowchart TD\n  A --> B\n```',
    title: 'How it flows',
  });
  const file = String(outcome.attachments?.file_path);
  expect(file).toMatch(/\/diagrams\/how-it-flows-.+\.mmd$/);
  expect(readFileSync(file, 'utf8')).toBe('flowchart TD\n  A --> B\n');
  expect(outcome.content).toContain('```mermaid\nflowchart TD');
});

test('a mistake is told with its line', async () => {
  const outcome = await place.call(createDiagram, { content: 'flowchart TD\n  A[text --> B' });
  expect(outcome).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
  expect(outcome.ok ? '' : outcome.error.message).toContain('Line 2: "[" is not closed');
});

describe('sound', () => {
  test.each([
    'graph LR; A-->B;',
    'flowchart TD\n  A["a (b) [c"] -->|yes (no)| B{choice}\n  B -- text --> C((round))\n  C --> D[(db)] & E>flag]',
    'flowchart LR\n  subgraph one\n    a --> b\n  end\n  one --> two',
    'flowchart TD\n  A[/slanted/] --> B[\\other\\]\n  C[/trapezoid\\]\n  B -.-> C\n  C ==> D\n  A <--> D',
    '---\ntitle: x\n---\n%%{init: {"theme": "dark"}}%%\nflowchart TD\n  %% comment [\n  A --> B',
    'sequenceDiagram\n  participant A as Alice\n  A->>+B: Hello (x\n  B-->>-A: Hi\n  loop every\n    A-)B: x\n  end\n  Note over A,B: ok',
    'classDiagram\n  class A {\n    +int x\n    +run() void\n  }\n  A <|-- B',
    'stateDiagram-v2\n  [*] --> S\n  state S {\n    [*] --> T\n  }',
    'erDiagram\n  A ||--o{ B : has\n  A {\n    string name\n  }',
    'pie title Pets\n  "Dogs" : 3',
    'gantt\n  title x\n  section s\n  a :a1, 2026-01-01, 3d',
    'mindmap\n  root((x))\n    a',
    'gitGraph\n  commit',
  ])('%j', (source) => {
    expect(checkMermaid(source)).toBeUndefined();
  });
});

describe('unsound', () => {
  test.each([
    ['', 1, 'empty'],
    ['%% only a comment', 1, 'empty'],
    ['flowchrt TD\nA-->B', 1, 'did you mean "flowchart"'],
    ['flowchart TD', 1, 'no content'],
    ['flowchart UP\nA-->B', 1, '"UP" is not a direction'],
    ['flowchart TD\nA-->B\nB["x] --> C', 3, 'quotation mark'],
    ['flowchart TD\nA[x(y] --> B', 2, 'no partner'],
    ['flowchart TD\nA -->', 2, 'leads nowhere'],
    ['flowchart TD\nA --> end', 2, 'cannot be a node'],
    ['flowchart TD\nsubgraph x\nA-->B', 2, 'not closed'],
    ['flowchart TD\nA-->B\nend', 3, 'closes nothing'],
    ['sequenceDiagram\nloop x\nA->>B: hi', 2, 'not closed'],
    ['sequenceDiagram\nA->>: hi', 2, 'leads nowhere'],
    ['classDiagram\nclass A {\n+x', 2, 'not closed'],
    ['erDiagram\nA {\nstring x\n}\n}', 5, 'closes nothing'],
  ])('%j', (source, line, words) => {
    const problem = checkMermaid(source);
    expect(problem?.line).toBe(line);
    expect(problem?.message).toContain(words);
  });
});

test('any text gets an answer', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('flowchart TD\n', 'sequenceDiagram\n', 'erDiagram\n', ''),
      fc.string(),
      (head, text) => {
        checkMermaid(head + text);
      },
    ),
  );
});

test('a line made to be slow is not', () => {
  const spaces = ' '.repeat(90_000);
  expect(checkMermaid(`flowchart TD\nA ---${spaces}x${spaces}|`)).toBeUndefined();
});

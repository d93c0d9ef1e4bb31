import { describe, expect, it } from 'vitest';
import type { Intent } from './intent.ts';
import { understandRequest } from './understand-request.ts';

const read = (path: string): Intent => ({ kind: 'read', path });
const run = (command: string): Intent => ({ kind: 'run', command });
const write = (path: string, content: string): Intent => ({ kind: 'write', path, content });

const single: readonly [string, Intent][] = [
  ['read package.json', read('package.json')],
  ['Please could you read `package.json`?', read('package.json')],
  ['show me the contents of src/index.ts', read('src/index.ts')],
  ['cat "my notes.txt"', read('my notes.txt')],
  ['open README', read('README')],
  ['what is in Makefile', read('Makefile')],
  ['It would help me a lot if you would read docs/a.md before lunch.', read('docs/a.md')],
  ['run ls', run('ls')],
  ['run ls -la .', run('ls -la .')],
  ['execute `npm test`', run('npm test')],
  ['run echo "a and b, then c"', run('echo "a and b, then c"')],
  ['run the command git status please', run('git status')],
  ['use the bash tool to run: echo hello', { kind: 'run', command: 'echo hello', toolHint: 'bash' }],
  ['use the bash tool to echo hello', { kind: 'run', command: 'echo hello', toolHint: 'bash' }],
  ['git log --oneline', run('git log --oneline')],
  ['list files', { kind: 'list', path: '.' }],
  ['list the files in the current directory', { kind: 'list', path: '.' }],
  ['list src', { kind: 'list', path: 'src' }],
  ['which files are in the src folder?', { kind: 'list', path: 'src' }],
  ['search for TODO', { kind: 'search', pattern: 'TODO' }],
  ['search for TODO in src', { kind: 'search', pattern: 'TODO', path: 'src' }],
  ['search for "function main" in the src folder', { kind: 'search', pattern: 'function main', path: 'src' }],
  ['grep needle', { kind: 'search', pattern: 'needle' }],
  ['find files *.ts', { kind: 'find', glob: '*.ts' }],
  ['find all python files in lib', { kind: 'find', glob: '**/*.py', path: 'lib' }],
  ['create hello.txt with hello world', write('hello.txt', 'hello world')],
  ['create a.txt with salt and pepper', write('a.txt', 'salt and pepper')],
  ["write 'x' to f.txt", write('f.txt', 'x')],
  ['create a file b.txt containing "one\ntwo"', write('b.txt', 'one\ntwo')],
  ['create run.py with:\n```python\nprint(1)\n\nprint(2)\n```', write('run.py', 'print(1)\n\nprint(2)\n')],
  ['create c.json with {"a": [1, 2]}', write('c.json', '{"a": [1, 2]}')],
  [
    'replace foo with bar in a.txt',
    { kind: 'edit', path: 'a.txt', oldText: 'foo', newText: 'bar', isForAll: false },
  ],
  [
    'replace all "x, y" with "z" in a.txt',
    { kind: 'edit', path: 'a.txt', oldText: 'x, y', newText: 'z', isForAll: true },
  ],
  [
    'edit a.txt and change foo to bar',
    { kind: 'edit', path: 'a.txt', oldText: 'foo', newText: 'bar', isForAll: false },
  ],
  ['delete old.txt', { kind: 'delete', path: 'old.txt' }],
  ['fetch https://example.com/page.', { kind: 'fetch', url: 'https://example.com/page' }],
  ['search the web for cats and dogs', { kind: 'web-search', query: 'cats and dogs' }],
  ['remember todo: buy milk, call mom', { kind: 'todo', items: ['buy milk', 'call mom'] }],
  [
    'call get_weather with {"city": "Oslo, then on"}',
    { kind: 'call', tool: 'get_weather', input: { city: 'Oslo, then on' } },
  ],
  ['what is 2+2', { kind: 'calculate', expression: '2+2' }],
  ["what's 3 times (4 minus 1)?", { kind: 'calculate', expression: '3 * (4 - 1)' }],
  ['hello', { kind: 'greet' }],
  ['who are you?', { kind: 'introduce' }],
  ['what tools do you have?', { kind: 'list-tools' }],
  ['Reply with exactly: pong', { kind: 'say', text: 'pong' }],
];

describe('understandRequest', () => {
  it.each(single)('understands %j', (text, intent) => {
    expect(understandRequest(text).steps).toEqual([[intent]]);
  });

  it('takes things joined by "and" or commas together', () => {
    expect(understandRequest('read a.txt and run ls').steps).toEqual([[read('a.txt'), run('ls')]]);
    expect(understandRequest('read a.txt, b.txt and c.txt').steps).toEqual([
      [read('a.txt'), read('b.txt'), read('c.txt')],
    ]);
    expect(understandRequest('run `ls` and `pwd`').steps).toEqual([[run('ls'), run('pwd')]]);
  });

  it('takes things joined by "then", full stops or lines one after the other', () => {
    const both = [[read('a.txt')], [run('ls')]];
    expect(understandRequest('read a.txt then run ls').steps).toEqual(both);
    expect(understandRequest('Read a.txt, and then run ls.').steps).toEqual(both);
    expect(understandRequest('Read a.txt. After that, run ls.').steps).toEqual(both);
    expect(understandRequest('1. read a.txt\n2. run ls').steps).toEqual(both);
  });

  it('reads the file a question is about', () => {
    const steps = [[read('package.json'), { kind: 'tell', what: 'version' }]];
    expect(understandRequest('what is the version in package.json?').steps).toEqual(steps);
    expect(understandRequest('Read package.json and tell me the version.').steps).toEqual(steps);
  });

  it('calls a bare tool name only when such a tool is declared', () => {
    expect(understandRequest('call ping', ['ping']).steps).toEqual([
      [{ kind: 'call', tool: 'ping', input: {} }],
    ]);
    expect(understandRequest('call mom').steps).toEqual([]);
  });

  it.each([
    '',
    'How are you?',
    'use typescript to build an app',
    'read the following carefully',
    'open the door',
  ])('does not invent a wish for %j', (text) => {
    expect(understandRequest(text).steps).toEqual([]);
  });

  it.each([
    ['replace '.concat('a with '.repeat(30_000))],
    ['read a, '.repeat(25_000)],
    ['\'x "y `z '.repeat(20_000)],
    ['{"a":'.repeat(40_000)],
    ['search '.repeat(30_000)],
    ['\n- list and '.repeat(20_000)],
  ])('stays quick on hostile text', (text) => {
    const start = performance.now();
    understandRequest(text);
    expect(performance.now() - start).toBeLessThan(3000);
  });
});

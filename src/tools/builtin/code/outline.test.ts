import { afterAll, describe, expect, it } from 'vitest';
import { Grammars } from './grammars.ts';
import { LANGUAGES, languageOf } from './languages.ts';
import { outline } from './outline.ts';

const grammars = new Grammars();
afterAll(() => grammars.dispose());

/** File name, source, and the definitions expected in it as `kind container.name`. */
const SAMPLES: readonly [string, string, readonly string[]][] = [
  [
    'a.ts',
    `export const LIMIT = 1;
export const load = async () => 2;
export abstract class Store<T> { run(): void {} private go = () => 1; abstract stop(): void; }
interface Shape { area(): number }
type Id = string;
enum Colour { Red }
namespace Inner { export function deep() {} }
declare function outside(): void;
function outer() { const hidden = 1; function nested() {} }`,
    [
      'constant LIMIT',
      'function load',
      'class Store',
      'method Store.run',
      'method Store.go',
      'method Store.stop',
      'interface Shape',
      'method Shape.area',
      'type Id',
      'enum Colour',
      'module Inner',
      'function Inner.deep',
      'function outside',
      'function outer',
      'function outer.nested',
    ],
  ],
  ['a.tsx', 'export function View() { return <p/>; }', ['function View']],
  [
    'a.js',
    'class A { x = () => 1; m() {} }\nconst f = function () {};',
    ['class A', 'method A.x', 'method A.m', 'function f'],
  ],
  [
    'a.py',
    'LIMIT = 1\nclass A:\n  def m(self):\n    pass\n  @property\n  def p(self): pass\n@cached\nasync def f():\n  pass\n',
    ['constant LIMIT', 'class A', 'method A.m', 'method A.p', 'function f'],
  ],
  [
    'a.go',
    'package p\nconst A = 1\nvar V = 2\ntype S struct { x int }\ntype I interface { M() }\ntype F func()\nfunc G() {}\nfunc (s *S) M() {}\n',
    ['constant A', 'variable V', 'struct S', 'interface I', 'method I.M', 'type F', 'function G', 'method M'],
  ],
  [
    'a.rs',
    'const A: u8 = 1;\nstruct P { x: u8 }\nenum E { A }\ntrait T { fn t(&self); }\nimpl P { fn m(&self) {} }\nmod q { pub fn f() {} }\ntype X = u8;\nmacro_rules! mm { () => {} }\n',
    [
      'constant A',
      'struct P',
      'enum E',
      'interface T',
      'method T.t',
      'method m',
      'module q',
      'function q.f',
      'type X',
      'macro mm',
    ],
  ],
  [
    'A.java',
    'class A { static final int X = 1; A() {} void m() {} } interface I { void q(); } enum E { X } record R(int a) {}',
    [
      'class A',
      'field A.X',
      'constructor A.A',
      'method A.m',
      'interface I',
      'method I.q',
      'enum E',
      'class R',
    ],
  ],
  [
    'a.cs',
    'namespace N { class A { const int X = 1; int P { get; set; } A() {} void M() {} } interface I { void Q(); } struct S {} enum E { X } }',
    [
      'module N',
      'class N.A',
      'field N.A.X',
      'property N.A.P',
      'constructor N.A.A',
      'method N.A.M',
      'interface N.I',
      'method N.I.Q',
      'struct N.S',
      'enum N.E',
    ],
  ],
  [
    'a.cpp',
    '#define M 1\nnamespace n { class A { void m() {} }; struct S { int y; }; enum class E { X }; }\nvoid n::A::d() {}\nint f(int a) { return a; }\nint *pf() { return 0; }\nusing X = int;\nconst int K = 1;\n',
    [
      'macro M',
      'module n',
      'class n.A',
      'method n.A.m',
      'struct n.S',
      'enum n.E',
      'method d',
      'function f',
      'function pf',
      'type X',
      'constant K',
    ],
  ],
  [
    'a.c',
    'static int f(void) { return 1; }\nstruct s { int x; };\ntypedef int t;\n',
    ['function f', 'struct s', 'type t'],
  ],
  [
    'a.php',
    '<?php const A = 1; function f() {} class B { const C = 1; public $p; function m() {} } interface I {} trait T {} enum E { case X; }',
    [
      'constant A',
      'function f',
      'class B',
      'constant B.C',
      'property B.p',
      'method B.m',
      'interface I',
      'interface T',
      'enum E',
    ],
  ],
  [
    'a.rb',
    'module M\n  A = 1\n  class B < C\n    def m; end\n    def self.s; end\n  end\nend\n',
    ['module M', 'constant M.A', 'class M.B', 'method M.B.m', 'method M.B.s'],
  ],
  [
    'a.sh',
    'X=1\nf() { :; }\nfunction g { :; }\nreadonly R=1\n',
    ['variable X', 'function f', 'function g', 'constant R'],
  ],
  [
    'a.ps1',
    'function Get-It { param($a) }\nclass C { [void] M() {} }\nenum E { A }\n',
    ['function Get-It', 'class C', 'method C.M', 'enum E'],
  ],
  ['a.css', '.a { color: red }\n@keyframes k { from { a: b } }\n', ['rule .a', 'rule k']],
  ['a.ini', '[section]\na = 1\n', ['section section']],
];

describe('outline', () => {
  it.each(SAMPLES)('finds the definitions of %s', async (file, text, expected) => {
    const row = languageOf(file);
    if (!row) throw new Error(`no language for ${file}`);
    const symbols = await outline(text, row, grammars);
    expect(
      symbols.map((symbol) => `${symbol.kind} ${[symbol.container, symbol.name].filter(Boolean).join('.')}`),
    ).toEqual(expected);
  });

  it('has a sample for every language of the table', () => {
    const covered = new Set(SAMPLES.map(([file]) => languageOf(file)?.id));
    expect(LANGUAGES.map((row) => row.id).filter((id) => !covered.has(id))).toEqual([]);
  });

  it('counts lines and columns from one', async () => {
    const row = languageOf('a.ts');
    if (!row) throw new Error('no TypeScript');
    const [symbol] = await outline('\n// é😀\nexport function f() {\n  return 1;\n}\n', row, grammars);
    expect(symbol).toMatchObject({ name: 'f', line: 3, column: 17, startLine: 3, endLine: 5 });
  });

  it('gives what it can of a broken text', async () => {
    const row = languageOf('a.ts');
    if (!row) throw new Error('no TypeScript');
    const symbols = await outline('function good() {}\nclass { { {', row, grammars);
    expect(symbols.map((symbol) => symbol.name)).toContain('good');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkToml, setTomlKey, tomlString } from './edit-toml.ts';

const TABLE = ['model_providers', 'crosspoint'];

describe('setting a key of a TOML text', () => {
  it('makes table and key in an empty text', () => {
    expect(setTomlKey('', TABLE, 'base_url', '"x"')).toBe('[model_providers.crosspoint]\nbase_url = "x"\n');
  });

  it('replaces the value alone; comment, spacing and all other lines stay', () => {
    const text = '# mine\nmodel   = "old"  # why\n\n[a]\nmodel = 1\n';
    expect(setTomlKey(text, [], 'model', '"new"')).toBe('# mine\nmodel   = "new"  # why\n\n[a]\nmodel = 1\n');
  });

  it('puts a new top-level key before the first table, above the comment on it', () => {
    const text = '# head\n\n# about a\n[a]\nx = 1\n';
    expect(setTomlKey(text, [], 'model', '"m"')).toBe('# head\n\nmodel = "m"\n\n# about a\n[a]\nx = 1\n');
  });

  it('appends to an existing table, wherever it stands', () => {
    const text = '[model_providers."crosspoint"]\nname = "x"\n\n[b]\ny = 2\n';
    expect(setTomlKey(text, TABLE, 'z', '3')).toBe(
      '[model_providers."crosspoint"]\nname = "x"\nz = 3\n\n[b]\ny = 2\n',
    );
  });

  it('is not fooled by tables and keys inside strings, arrays and comments', () => {
    const text =
      'a = """\n[model_providers.crosspoint]\nmodel = 1\n"""\nb = [\n  "]", # ]\n  # model = 3\n  1,\n]\nc = \'\'\'\nmodel = 2\'\'\'\n';
    expect(setTomlKey(text, [], 'model', '4')).toBe(`${text}model = 4\n`);
  });

  it('finds a key that is written with dots', () => {
    expect(setTomlKey('model_providers.crosspoint.name = "a"\n', TABLE, 'name', '"b"')).toBe(
      'model_providers.crosspoint.name = "b"\n',
    );
  });

  it('does not touch entries of an array of tables', () => {
    const text = '[[model_providers.crosspoint]]\nname = "a"\n';
    expect(setTomlKey(text, [], 'model', '1')).toBe(`model = 1\n\n${text}`);
  });

  it('keeps Windows line ends and a missing last one', () => {
    expect(setTomlKey('a = 1\r\nb = 2', [], 'c', '3')).toBe('a = 1\r\nb = 2\r\nc = 3\r\n');
  });

  it('refuses to edit inside an inline table', () => {
    expect(() =>
      setTomlKey('model_providers = { crosspoint = { name = "a" } }\n', TABLE, 'name', '"b"'),
    ).toThrow(
      'model_providers is an inline table, which this command does not edit. Write it as [model_providers] first.',
    );
  });

  it.each([
    ['[open\nx = 1', 'line 1 opens a table and does not close it'],
    ['x = 1\ny', 'line 2 is neither a table, a key with a value, nor a comment'],
    ['x = "abc\n', 'line 1 opens a string that never closes'],
    ['x = """abc\n', 'line 1 opens a string that never closes'],
    ['x = [1,\n', 'line 1 opens a bracket that never closes'],
    ['x = \n', 'line 1 has a key without a value'],
    ['x = 1 y = 2\n', 'line 1 goes on after its value'],
    ['= 1\n', 'line 1 has no readable key'],
  ])('leaves the broken text %j alone', (text, why) => {
    expect(() => checkToml(text)).toThrow(`The TOML file was left alone: ${why}.`);
  });

  it('takes dates, numbers and nested values as they are', () => {
    expect(() =>
      checkToml(
        'a = 1979-05-27 07:32:00Z\nb = -1e3\nc = { x = [1, "}"], y.z = true } # c\n"q.r" = \'lit\'\n',
      ),
    ).not.toThrow();
  });

  it('reads back what it wrote, and changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.constantFrom([], TABLE), (value, table) => {
        const base = '# c\nother = 1\n\n[t]\nx = [1]\n';
        const once = setTomlKey(base, table, 'key', tomlString(value));
        expect(setTomlKey(once, table, 'key', tomlString(value))).toBe(once);
        expect(once).toContain('[t]\nx = [1]\n');
      }),
    );
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommand } from './parse-command.ts';

describe('a command line taken apart', () => {
  it('lists what would run, in substitutions too', () => {
    const parsed = parseCommand('cd a && echo "$(git log -1)" | tee out.txt');
    expect(parsed.names).toEqual(['cd', 'echo', 'git', 'tee']);
    expect(parsed.parsing_result).toMatchObject({ has_command_substitution: true });
    expect(parsed.parsing_result.parsing_failed).toBeUndefined();
  });

  it('tells redirects to nowhere from others', () => {
    expect(parseCommand('a > /dev/null 2> /dev/null').parsing_result.all_redirects_are_dev_null).toBe(true);
    expect(parseCommand('a < in > out')).toMatchObject({
      has_input_redirect: true,
      has_output_redirect: true,
      parsing_result: { all_redirects_are_dev_null: false, has_redirects: true },
    });
    expect(parseCommand('a').parsing_result.all_redirects_are_dev_null).toBeUndefined();
  });

  it('says so when it cannot be taken apart, and never throws', () => {
    expect(parseCommand('echo "').parsing_result.parsing_failed).toBe(true);
    expect(parseCommand('a'.repeat(30_000)).parsing_result.parsing_failed).toBe(true);
    fc.assert(
      fc.property(fc.string(), (source) => {
        expect(parseCommand(source).simple_commands.length).toBeGreaterThan(0);
      }),
    );
  });
});

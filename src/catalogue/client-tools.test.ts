import { describe, expect, it } from 'vitest';
import { CLIENT_TOOLS, findClientTool } from './client-tools.ts';

const NUMBERS = [
  1, 3, 5, 6, 7, 8, 9, 11, 12, 15, 16, 18, 19, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 38, 39, 40,
  41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 65, 66,
];

describe('the table of client tools', () => {
  it('has one row per number of the enum, in order', () => {
    expect(CLIENT_TOOLS.map((tool) => tool.number)).toEqual(NUMBERS);
  });

  it('gives every row its own enum name and keys', () => {
    for (const key of ['enumName', 'caseName', 'paramsKey', 'resultKey'] as const) {
      const values = CLIENT_TOOLS.flatMap((tool) => tool[key] ?? []);
      expect(new Set(values).size, key).toBe(values.length);
    }
  });

  it('derives keys from the enum name, the known exceptions aside', () => {
    expect(findClientTool(40)).toEqual({
      number: 40,
      enumName: 'READ_FILE_V2',
      caseName: 'read_file_v2',
      paramsKey: 'read_file_v2_params',
      resultKey: 'read_file_v2_result',
      names: ['read_file', 'Read', 'ReadFile'],
      isRetired: false,
      agentToolCall: { name: 'read_tool_call', number: 8 },
      execVariants: [
        { name: 'read_args', number: 7 },
        { name: 'redacted_read_args', number: 29 },
      ],
    });
    expect(findClientTool(31)).toMatchObject({ paramsKey: 'gotodef_params', resultKey: 'gotodef_result' });
  });

  it('knows which tools have no slots', () => {
    const lacking = (key: 'paramsKey' | 'resultKey') =>
      CLIENT_TOOLS.filter((tool) => tool[key] === undefined).map((tool) => tool.number);
    expect(lacking('paramsKey')).toEqual([53, 59, 61, 62, 65, 66]);
    expect(lacking('resultKey')).toEqual([61, 62, 65, 66]);
  });

  it('has no row for numbers that left the enum', () => {
    for (const number of [0, 2, 4, 10, 13, 14, 17, 20, 21, 22])
      expect(findClientTool(number)).toBeUndefined();
  });
});

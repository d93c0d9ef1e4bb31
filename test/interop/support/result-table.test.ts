import { describe, expect, it } from 'vitest';
import { type CellResult, formatResultTable } from './result-table.ts';

const cell = (rest: Partial<CellResult>): CellResult => ({
  client: 'Alpha 1.0',
  way: 'openai-chat',
  scenario: 'read',
  state: 'passed',
  ...rest,
});

describe('formatResultTable', () => {
  it('puts clients and dialects down and scenarios across', () => {
    const table = formatResultTable([
      cell({ durationMs: 1234 }),
      cell({ scenario: 'run', state: 'failed', durationMs: 60_000 }),
      cell({ client: 'Beta 2.0', way: 'anthropic-messages', scenario: 'run', durationMs: 500 }),
    ]);
    expect(table.split('\n').slice(0, 3)).toEqual([
      'client     dialect             read        run',
      'Alpha 1.0  openai-chat         pass 1.2 s  FAIL 60.0 s',
      'Beta 2.0   anthropic-messages  –           pass 0.5 s',
    ]);
  });

  it('gives clients with many scenarios a table of their own, scenarios down', () => {
    const tall = { client: 'Gamma 3.0', isTall: true, durationMs: 500 };
    const table = formatResultTable([
      cell({ durationMs: 1234 }),
      cell({ ...tall, way: 'one' }),
      cell({ ...tall, way: 'two' }),
      cell({ ...tall, way: 'two', scenario: 'run' }),
    ]);
    expect(table.split('\n').slice(2, 6)).toEqual([
      '',
      'scenario  Gamma 3.0, one  Gamma 3.0, two',
      'read      pass 0.5 s      pass 0.5 s',
      'run       –               pass 0.5 s',
    ]);
  });

  it('says once why a client was skipped, and what kept the runs off the network', () => {
    const note = 'npm install alpha@1.0 failed: E404';
    const table = formatResultTable([
      cell({ state: 'skipped', note }),
      cell({ state: 'skipped', note, scenario: 'run' }),
      cell({ client: 'Beta 2.0', protection: 'a wall' }),
    ]);
    expect(table).toContain('Alpha 1.0  openai-chat  skip  skip');
    expect(table.split('\n').slice(-2)).toEqual([`skipped: Alpha 1.0: ${note}`, 'network: a wall']);
  });

  it('shows a known gap as such, with its reason, and shouts when it is none any more', () => {
    const knownGap = 'it takes no tools';
    const table = formatResultTable([
      cell({ knownGap, durationMs: 900 }),
      cell({ knownGap, scenario: 'run', state: 'failed', durationMs: 900 }),
    ]);
    expect(table).toContain('Alpha 1.0  openai-chat  gap   FAIL 0.9 s');
    expect(table).toContain(`known gap: Alpha 1.0, openai-chat: ${knownGap}`);
  });
});

// The idempotent form of unified chat: the connection breaks after every single message, of the server's and of the
// client's own, over both carriers. Every answer completes, every call runs exactly once, no event is lost or repeated.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CARRIERS,
  type CarrierKind,
  type Cut,
  IdempotentTurn,
  openStage,
  type Stage,
} from '../support/aiserver-client/index.ts';
import type { ScriptedCall } from '../support/native-client/scripted-model.ts';

const append = (word: string): ScriptedCall => ({
  name: 'run_terminal_command',
  args: { command: `echo ${word} >> log.txt` },
});
const ROUNDS: readonly (readonly ScriptedCall[])[] = [
  [append('one'), { name: 'read_file', args: { path: 'a.txt' } }],
  [{ name: 'mcp_count_up', args: {} }],
  [append('two')],
];
const BATCH = 8;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ rounds: ROUNDS });
});
afterAll(() => stage.stop());

interface Played {
  readonly cut: Cut;
  readonly connections: number;
  readonly received: number;
  readonly sent: number;
  readonly problems: readonly string[];
}

async function play(carrier: CarrierKind, cut: Cut): Promise<Played> {
  let counted = 0;
  const client = await stage.client(carrier, {
    files: { 'a.txt': 'alpha\n' },
    mcpTools: [{ server: 'count', name: 'up', execute: () => `the count is ${++counted}` }],
  });
  const turn = new IdempotentTurn(client, { cut });
  const { record, end, results } = await turn.ask('Do it all.');
  const { folder, executed } = client.options.workspace;
  const log = await readFile(join(folder, 'log.txt'), 'utf8').catch(() => '');
  const problems = [...record.violations];
  const expectThat = (isSo: boolean, what: string) => {
    if (!isSo) problems.push(what);
  };
  expectThat(end.kind === 'done', `it ended as ${end.kind} ${'error' in end ? String(end.error) : ''}`);
  expectThat(record.text.endsWith('All done.'), `the model did not come to its end: ${record.text}`);
  expectThat(log === 'one\ntwo\n', `the log holds ${JSON.stringify(log)}`);
  expectThat(counted === 1, `the client's own tool ran ${counted} times`);
  expectThat(executed.length === 4, `${executed.length} calls were run`);
  expectThat(results.length === 4, `${results.length} results were given`);
  const { connections } = record;
  return { cut, connections, received: turn.received, sent: turn.sent, problems };
}

async function playAll(carrier: CarrierKind, cuts: readonly Cut[]): Promise<Played[]> {
  const played: Played[] = [];
  for (let at = 0; at < cuts.length; at += BATCH)
    played.push(...(await Promise.all(cuts.slice(at, at + BATCH).map((cut) => play(carrier, cut)))));
  return played;
}

const broken = (played: readonly Played[]) =>
  played.filter(({ problems }) => problems.length > 0).map(({ cut, problems }) => ({ cut, problems }));

describe.each(CARRIERS)('an idempotent answer over %s whose connection breaks', (carrier) => {
  it('after any message of the server completes, and every call runs once', async () => {
    const whole = await play(carrier, {});
    expect(broken([whole])).toEqual([]);
    expect(whole.connections).toBe(1);
    const cuts = Array.from({ length: whole.received - 1 }, (_, index) => ({ afterReceived: index + 1 }));
    const played = await playAll(carrier, cuts);
    expect(broken(played)).toEqual([]);
    expect(played.every(({ connections }) => connections === 2)).toBe(true);
  });

  it('after any message of the client completes, and every call runs once', async () => {
    const cuts = Array.from({ length: 5 }, (_, index) => ({ afterSent: index + 1 }));
    const played = await playAll(carrier, cuts);
    expect(broken(played)).toEqual([]);
    expect(played.every(({ connections }) => connections === 2)).toBe(true);
  });
});

describe('a key of an answer', () => {
  it('belongs to whoever began it', async () => {
    const keys = await openStage({
      config: (config) => ({ ...config, server: { ...config.server, auth: 'keys' } }),
    });
    try {
      const secrets = await Promise.all(
        ['one', 'two'].map(async (name) => {
          const created = await keys.gateway.admin('POST', '/api/keys', { name });
          return ((await created.json()) as { secret: string }).secret; // the admin API always gives it
        }),
      );
      const texts = ['what is 6*7', 'what is 2+3'];
      const turns = await Promise.all(
        secrets.map(async (key, index) => {
          const turn = new IdempotentTurn(await keys.client('bidi', { key }), { key: 'shared' });
          return await turn.ask(texts[index] ?? '');
        }),
      );
      expect(turns.map(({ end }) => end.kind)).toEqual(['done', 'done']);
      expect(turns[0]?.record.text).toContain('42');
      expect(turns[1]?.record.text).toContain('2+3 = 5');
    } finally {
      await keys.stop();
    }
  });
});

// The client's connection breaks after every single frame of a long run with tools, of the server's and of its own, over
// both transports. Every run completes, nothing that changes anything is executed twice, and the model is told of every
// change that may have been lost.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CarrierKind,
  CUSTOM_SERVER,
  type Cut,
  type DeclaredTool,
} from '../support/native-client/index.ts';
import { openStage, readTree, type Stage } from '../support/native-client/open-stage.ts';
import { type ScriptedCall, textOf } from '../support/native-client/scripted-model.ts';

const append = (word: string): ScriptedCall => ({
  name: 'run_terminal_command',
  args: { command: `echo ${word} >> log.txt` },
});

/** Every kind of change, some side by side. */
const ROUNDS: readonly (readonly ScriptedCall[])[] = [
  [append('one'), { name: 'read_file', args: { path: 'a.txt' } }],
  [
    { name: 'search_replace', args: { path: 'a.txt', old_string: 'alpha', new_string: 'alpha beta' } },
    { name: 'count', args: { by: 1 } },
  ],
  [{ name: 'delete_file', args: { path: 'old.txt' } }, append('two')],
];
const FILES = { 'a.txt': 'alpha\n', 'old.txt': 'old\n' };
const BATCH = 6;
const CLOSING = 'Everything is settled.';
const LOST = /unknown whether/i;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ rounds: ROUNDS, script: { closing: CLOSING } });
});
afterAll(() => stage.stop());

interface Played {
  readonly cut: Cut;
  readonly attempts: number;
  readonly received: number;
  /** Changes that a break kept from the client. */
  readonly missing: readonly string[];
  readonly problems: readonly string[];
}

let wishes = 0;

async function play(carrier: CarrierKind, cut: Cut): Promise<Played> {
  let counted = 0;
  const tool: DeclaredTool = {
    server: CUSTOM_SERVER,
    name: 'count',
    description: 'Counts on.',
    inputSchema: { type: 'object', properties: { by: { type: 'number' } } },
    execute: () => `the count is ${++counted}`,
  };
  const wish = `Do it all, wish ${++wishes}.`;
  const { agent, workspace } = await stage.agent(carrier, { files: FILES, tools: [tool] });
  const { record, end } = await agent.send(wish, { cuts: [cut] });
  const files = await readTree(workspace.folder);
  const log = (files['log.txt'] ?? '').split('\n').filter((line) => line !== '');

  const problems = [...record.violations];
  const expectThat = (isSo: boolean, what: string) => {
    if (!isSo) problems.push(what);
  };
  expectThat(end.kind === 'done', `it ended as ${end.kind} ${'error' in end ? String(end.error) : ''}`);
  expectThat(record.text.includes(CLOSING), 'the model did not come to its end');
  expectThat(new Set(log).size === log.length, `commands ran twice: ${log.join(' ')}`);
  expectThat(counted <= 1, `the caller's own tool ran ${counted} times`);
  const edited = files['a.txt'];
  expectThat(edited === 'alpha beta\n' || edited === 'alpha\n', `a.txt holds ${JSON.stringify(edited)}`);
  const missing = [
    ...['one', 'two'].filter((word) => !log.includes(word)),
    ...(counted === 1 ? [] : ['count']),
    ...(edited === 'alpha beta\n' ? [] : ['edit']),
    ...(files['old.txt'] === undefined ? [] : ['delete']),
  ];
  // A change that a break kept from the client may be missing; then the model knows that it must look.
  const told = resultsFor(wish).filter((result) => LOST.test(result));
  expectThat(missing.length <= told.length, `missing without a word to the model: ${missing.join(' ')}`);
  expectThat(
    missing.length === 0 || cut.afterReceived !== undefined || cut.afterSent !== undefined,
    'unbroken',
  );
  return { cut, attempts: record.attempts, received: record.frames.length, missing, problems };
}

function resultsFor(wish: string): string[] {
  const conversation = stage.model
    ?.conversations()
    .findLast((messages) => messages.some(({ content }) => textOf(content).includes(wish)));
  return (conversation ?? []).filter(({ role }) => role === 'tool').map(({ content }) => textOf(content));
}

async function playAll(carrier: CarrierKind, cuts: readonly Cut[]): Promise<Played[]> {
  const played: Played[] = [];
  for (let at = 0; at < cuts.length; at += BATCH)
    played.push(...(await Promise.all(cuts.slice(at, at + BATCH).map((cut) => play(carrier, cut)))));
  return played;
}

const broken = (played: readonly Played[]) =>
  played.filter(({ problems }) => problems.length > 0).map(({ cut, problems }) => ({ cut, problems }));

/** Dozens of whole runs each; a busy machine may take its time. */
const MANY_RUNS_MS = 180_000;

describe.each(['http1', 'http2'] as const)('a run over %s whose connection breaks', (carrier) => {
  it(
    'after any frame of the server completes, and nothing runs twice',
    async () => {
      const whole = await play(carrier, {});
      expect(broken([whole])).toEqual([]);
      expect(whole.attempts).toBe(1);
      const cuts = Array.from({ length: whole.received - 1 }, (_, index) => ({ afterReceived: index + 1 }));
      const played = await playAll(carrier, cuts);
      expect(broken(played)).toEqual([]);
      expect(played.every(({ attempts }) => attempts === 2)).toBe(true);
      // A break costs at most the calls that were under way, never the rest of the run.
      for (const { missing } of played) expect(missing.length).toBeLessThanOrEqual(2);
    },
    MANY_RUNS_MS,
  );

  it(
    'after any frame of the client completes, and nothing runs twice',
    async () => {
      // Enough for every answer of an unbroken run; cuts beyond its last frame break nothing.
      const cuts = Array.from({ length: 40 }, (_, index) => ({ afterSent: index + 1 }));
      expect(broken(await playAll(carrier, cuts))).toEqual([]);
    },
    MANY_RUNS_MS,
  );
});

import { expect } from 'vitest';
import type { ClientWay, InteropClient } from './clients/index.ts';
import type { LoggedTurn } from './support/gateway-under-test.ts';
import type { ClientRun, ClientTask } from './support/run-client.ts';
import { describeRun } from './support/run-process.ts';

type Need = 'parallel-calls' | 'resume' | 'free-choice-of-model';

/** A wish the demo model understands, and what must have happened on disk and in the answer. */
export interface Scenario {
  readonly name: string;
  /** As a sentence about the client. */
  readonly title: string;
  /** Clients and ways that lack it leave the scenario out. */
  readonly needs?: Need;
  /** `word` is fresh for each run, so that no text can be there by chance. */
  task(client: string, word: string): ClientTask;
  check(run: ClientRun, word: string, client: string): void;
  /** What the gateway's own log must say; absent = at least one call. */
  checkTurns?(turns: readonly LoggedTurn[]): void;
}

const NOTES = 'notes.txt';
const notesWith = (word: string) => ({ [NOTES]: `The word of the day is ${word}.\n` });

/** The model quotes what the client's tool returned; clients may show the file by themselves, so that alone is no proof. */
function expectNotesRead(run: ClientRun, word: string): void {
  expect(run.stdout, describeRun(run)).toMatch(new RegExp(`I called \`\\w+\` to read ${NOTES}[^]*${word}`));
}

function expectFile(run: ClientRun, name: string, text: string): void {
  // Some editing tools end every file with a line break.
  expect(run.files[name]?.trimEnd(), describeRun(run)).toBe(text);
}

const copyTask: Scenario['task'] = (_client, word) => ({
  prompts: [`create first.txt with ${word} then run cp first.txt second.txt`],
  files: {},
});

function expectCopied(run: ClientRun, word: string): void {
  expectFile(run, 'first.txt', word);
  expectFile(run, 'second.txt', word);
}

function expectTwoRounds(turns: readonly LoggedTurn[]): void {
  expect(turns.filter(({ toolCalls }) => toolCalls === 1)).toHaveLength(2);
}

const IS_MET: Readonly<Record<Need, (client: InteropClient, way: ClientWay) => boolean>> = {
  'parallel-calls': (_client, way) => way.forbidsParallelCalls !== true,
  'free-choice-of-model': (_client, way) => way.modelAlias === undefined,
  resume: (client) => client.resumeArgs !== undefined,
};

/** Whether a client can do what a scenario needs, in this way. */
export function isPossible({ needs }: Scenario, client: InteropClient, way: ClientWay): boolean {
  return needs === undefined || IS_MET[needs](client, way);
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'create',
    title: 'creates a file with its own tool',
    task: (client) => ({ prompts: [`create hello.txt with hello from ${client}`], files: {} }),
    check: (run, _word, client) => expectFile(run, 'hello.txt', `hello from ${client}`),
  },
  {
    name: 'read',
    title: 'reads a file and answers with what it holds',
    task: (_client, word) => ({ prompts: [`read ${NOTES}`], files: notesWith(word) }),
    check: expectNotesRead,
  },
  {
    name: 'run',
    title: 'runs a command in its shell tool',
    task: (_client, word) => ({ prompts: [`run echo ${word} > marker.txt`], files: {} }),
    check: (run, word) => expectFile(run, 'marker.txt', word),
  },
  {
    name: 'parallel',
    title: 'makes two calls of one answer',
    needs: 'parallel-calls',
    task: (_client, word) => ({
      prompts: [`read ${NOTES} and run echo ${word} > both.txt`],
      files: notesWith(word),
    }),
    check: (run, word) => {
      expectNotesRead(run, word);
      expectFile(run, 'both.txt', word);
    },
    checkTurns: (turns) => expect(Math.max(...turns.map(({ toolCalls }) => toolCalls))).toBe(2),
  },
  {
    name: 'sequence',
    title: 'makes one call after the other, over several turns',
    task: copyTask,
    check: expectCopied,
    checkTurns: expectTwoRounds,
  },
  {
    name: 'reasoning',
    title: 'hands back reasoning that came with the calls',
    needs: 'free-choice-of-model',
    task: (client, word) => ({ ...copyTask(client, word), model: 'demo/reasoning' }),
    check: expectCopied,
    checkTurns: expectTwoRounds,
  },
  {
    name: 'resume',
    title: 'goes on with an earlier conversation',
    needs: 'resume',
    task: (_client, word) => ({
      prompts: [`read ${NOTES}`, `run echo ${word} > later.txt`],
      files: notesWith(word),
    }),
    check: (run, word) => expectFile(run, 'later.txt', word),
    checkTurns: expectTwoRounds,
  },
];

// The referee itself: the strict client against a simulated backend that keeps the rules, and that breaks them one by one.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AgentBackend,
  type AgentBackendOptions,
  type AgentScript,
  finishTurn,
  startAgentBackend,
} from '../support/agent-backend/index.ts';
import { type CarrierKind, NativeClient, type Turn, Workspace } from '../support/native-client/index.ts';

let folder: string;
let backend: AgentBackend | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspoint-referee-'));
  await writeFile(join(folder, 'a.txt'), 'alpha\n');
});
afterEach(async () => {
  await backend?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function play(
  script: AgentScript,
  { carrier = 'http2', ...options }: Partial<AgentBackendOptions> & { carrier?: CarrierKind } = {},
): Promise<Turn & { workspace: Workspace }> {
  backend = await startAgentBackend({ script, sseContentType: 'application/connect+proto', ...options });
  const workspace = new Workspace({ folder });
  const client = new NativeClient({ url: backend.url, apiKey: 'key', carrier });
  return { ...(await client.openAgent({ workspace, model: 'm' }).send('Do it.')), workspace };
}

const shell = (fields: object) =>
  ({
    case: 'shellStreamArgs',
    value: { command: 'echo hi >> made.txt', toolCallId: 'c1', ...fields },
  }) as const;

/** A well-kept turn with one command. */
const wellKept: AgentScript = async (run) => {
  await run.requestContext();
  const blob = await run.setBlob('a message');
  await run.checkpoint({ rootPromptMessagesJson: [blob] });
  const exec = await run.exec(shell({ workingDirectory: folder, parsingResult: {} }));
  await exec.closed();
  await run.text('Done.');
  await finishTurn(run, [blob]);
};

describe.each(['http1', 'http2'] as const)('the strict client over %s', (carrier) => {
  it('carries out what it is asked and finds nothing wrong with a server that keeps the rules', async () => {
    const { end, record, workspace } = await play(wellKept, { carrier });
    expect(end).toEqual({ kind: 'done' });
    expect(record.violations).toEqual([]);
    expect([...workspace.counts()]).toEqual([['shellStreamArgs c1', 1]]);
  });

  it('takes a cut run up again from the last checkpoint, and from the beginning without one', async () => {
    const cutAfterFrame = (index: number) => [1, 3][index];
    const { end, record } = await play(wellKept, { carrier, cutAfterFrame });
    expect(end).toEqual({ kind: 'done' });
    expect(record.attempts).toBe(3);
    const actions = await Promise.all([0, 1, 2].map(async (index) => (await backend?.run(index))?.isResumed));
    expect(actions).toEqual([false, false, true]);
  });
});

const BREACHES: readonly (readonly [string, AgentScript, RegExp])[] = [
  [
    'a command without parsing_result',
    async (run) => {
      await run.checkpoint({});
      await (await run.exec(shell({ workingDirectory: folder }))).closed();
      await finishTurn(run);
    },
    /no parsing_result/,
  ],
  [
    'a command without working_directory',
    async (run) => {
      await run.checkpoint({});
      await (await run.exec(shell({ parsingResult: {}, command: 'true' }))).closed();
      await finishTurn(run);
    },
    /no working_directory/,
  ],
  [
    'a change before the first checkpoint',
    async (run) => {
      await (await run.exec(shell({ workingDirectory: folder, parsingResult: {} }))).closed();
      await finishTurn(run);
    },
    /before any checkpoint/,
  ],
  [
    'a checkpoint with a blob that was never stored',
    (run) => finishTurn(run, [new Uint8Array(32)]),
    /never stored/,
  ],
  [
    'frames after the end of the turn',
    async (run) => {
      await run.checkpoint({});
      await run.turnEnded({});
      await run.text('one more thing');
      await run.end();
    },
    /after turn_ended/,
  ],
  [
    'thinking that is never over',
    async (run) => {
      await run.update({ case: 'thinkingDelta', value: { text: 'hm' } });
      await run.text('so');
      await finishTurn(run);
    },
    /before thinking_completed/,
  ],
];

describe('the strict client notes', () => {
  it.each(BREACHES)('%s', async (_name, script, expected) => {
    const { record } = await play(script);
    expect(record.violations.join('\n')).toMatch(expected);
  });
});

import { describe, expect, it } from 'vitest';
import { textOf } from '../../../core/index.ts';
import { speak } from './fixtures/scripted-host.ts';
import type { ExecAnswer, TestClientOptions } from './fixtures/test-client.ts';
import { createTestSet } from './fixtures/test-set.ts';

async function type(command: string, options: TestClientOptions = {}) {
  const test = createTestSet(() => speak('Ok.'));
  const stream = test.client.open(options);
  stream.run({ case: 'shellCommandAction', value: { shellCommand: { command }, execId: 'mine' } });
  return { ...test, stream, end: await stream.ended };
}

/** What the model hears of the command when it is next spoken to. */
async function hear({ client, host }: Awaited<ReturnType<typeof type>>): Promise<string> {
  await client.send('And?');
  return textOf(host.runs[0]?.task.messages[0]?.content ?? []);
}

function event(value: object): ExecAnswer {
  return { case: 'shellStream', value: { event: value } as never };
}

describe('the user’s own command', () => {
  it('runs at the client, in the workspace, and the model hears of it next time', async () => {
    let args: unknown;
    const played = await type('ls', {
      onExec: (exec, client) => {
        args = exec.message.value;
        expect(exec.execId).toBe('mine');
        client.answer(
          exec,
          event({ case: 'stdout', value: { data: 'a.txt' } }),
          event({ case: 'exit', value: { code: 3 } }),
        );
      },
    });
    expect(played.end).toBeUndefined();
    expect(args).toMatchObject({ command: 'ls', workingDirectory: '/srv', parsingResult: {} });
    expect(played.stream.kinds.at(-1)).toBe('turnEnded');
    expect(played.host.runs).toHaveLength(0);
    expect(await hear(played)).toBe('I ran this command: ls\nExit code 3. Output:\na.txt');
    expect(played.client.checkpoint?.turns).toHaveLength(2);
  });

  it.each<[string, object, string]>([
    ['a failure', { case: 'failure', value: { exitCode: 2, stderr: 'No.' } }, 'Exit code 2. Output:'],
    [
      'a refusal',
      { case: 'rejected', value: { reason: 'no' } },
      'Exit code 1. Output:\nThe command was not run',
    ],
  ])('may be answered in one message: %s', async (_name, result, words) => {
    const played = await type('make', {
      onExec: (exec, client) =>
        client.answer(exec, { case: 'shellResult', value: { result: result as never } }),
    });
    expect(played.end).toBeUndefined();
    expect(await hear(played)).toContain(words);
  });

  it('that the client answers with something else is an error', async () => {
    const { end } = await type('ls', {
      onExec: (exec, client) => client.answer(exec, { case: 'lsResult', value: {} }),
    });
    expect(end).toMatchObject({ code: 'upstream-rejected', message: expect.stringContaining('lsResult') });
  });

  it('must be one', async () => {
    expect((await type('')).end).toMatchObject({ code: 'invalid-request' });
  });

  it('is not run twice when the connection is lost while it runs', async () => {
    const { client } = createTestSet(() => speak('Ok.'));
    const headers = { 'x-original-request-id': 'r1' };
    const action = { case: 'shellCommandAction' as const, value: { shellCommand: { command: 'rm x' } } };
    const first = client.open({ headers });
    first.run(action);
    await first.until('shellStreamArgs');
    first.channel.cut();
    await first.ended;
    const second = client.open({ headers });
    second.run(action);
    expect(await second.ended).toBeUndefined();
    expect(second.text).toContain('whether it took effect is not known');
    expect(second.kinds).not.toContain('shellStreamArgs');
    expect(second.kinds.at(-1)).toBe('turnEnded');
  });
});

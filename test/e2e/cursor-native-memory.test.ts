// What a conversation keeps: over a second send, a restart of the gateway, a fork, and clients that kept little themselves.
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { ConversationMemory, NativeClient, type Turn, Workspace } from '../support/native-client/index.ts';
import { openStage, type Stage } from '../support/native-client/open-stage.ts';
import { startScriptedModel, textOf } from '../support/native-client/scripted-model.ts';
import { startProgram } from '../support/program.ts';

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function openScripted(): Promise<Stage> {
  const stage = await openStage({
    rounds: [[{ name: 'run_terminal_command', args: { command: 'echo remembered' } }]],
  });
  endings.push(() => stage.stop());
  return stage;
}

function expectDone({ end, record }: Turn): void {
  expect(end, record.outline.join(' ')).toEqual({ kind: 'done' });
  expect(record.violations).toEqual([]);
}

/** What the model was sent in its last request, the system prompt left out. */
function lastConversation(stage: Stage): string[] {
  return (stage.model?.conversations().at(-1) ?? [])
    .filter(({ role }) => role !== 'system' && role !== 'developer')
    .map(({ role, content }) => `${role}: ${textOf(content)}`);
}

describe('a conversation', () => {
  it('goes on in a second send with everything that was said, called and returned', async () => {
    const stage = await openScripted();
    const { agent } = await stage.agent('http1');
    expectDone(await agent.send('First wish.'));
    expectDone(await agent.send('Second wish.'));
    const said = lastConversation(stage);
    expect(said[0]).toContain('First wish.');
    expect(said.filter((line) => line.startsWith('tool: '))[0]).toContain('remembered');
    expect(said.filter((line) => line.includes('All done.'))).toHaveLength(1);
    expect(said.filter((line) => line.includes('Second wish.'))).toHaveLength(1);
    // The calls keep their ids and pair with their results.
    const messages = stage.model?.conversations().at(-1) ?? [];
    const called = messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map(({ id }) => id));
    const answered = messages.flatMap(({ tool_call_id: id }) => (id === undefined ? [] : [id]));
    expect(answered).toEqual(called);
  });

  it('is the same in a fork, which then goes its own way', async () => {
    const stage = await openScripted();
    const { agent } = await stage.agent('http2');
    expectDone(await agent.send('Common wish.'));
    const fork = agent.fork();
    expectDone(await fork.send('Wish of the fork.'));
    expect(lastConversation(stage).join('\n')).toMatch(/Common wish\.[\s\S]*Wish of the fork\./);
    expectDone(await agent.send('Wish of the first.'));
    const said = lastConversation(stage).join('\n');
    expect(said).toMatch(/Common wish\.[\s\S]*Wish of the first\./);
    expect(said).not.toContain('Wish of the fork.');
  });

  it('is remembered for a client that kept its checkpoint but none of the blobs', async () => {
    const stage = await openScripted();
    const { agent } = await stage.agent('http1');
    expectDone(await agent.send('First wish.'));
    agent.memory.forgetBlobs();
    const turn = await agent.send('Second wish.');
    expect(turn.end).toEqual({ kind: 'done' });
    expect(lastConversation(stage).join('\n')).toMatch(/First wish\.[\s\S]*remembered[\s\S]*Second wish\./);
  });

  it('is found by its id when the client sends no state at all', async () => {
    const stage = await openScripted();
    const { agent, workspace } = await stage.agent('http1');
    expectDone(await agent.send('First wish.'));
    const bare = stage.client('http1').openAgent({
      workspace,
      model: 'up/m',
      conversationId: agent.conversationId,
      memory: new ConversationMemory(),
    });
    expectDone(await bare.send('Second wish.'));
    expect(lastConversation(stage).join('\n')).toMatch(/First wish\.[\s\S]*remembered[\s\S]*Second wish\./);
  });
});

describe('a conversation after a restart of the gateway', () => {
  it('goes on from what the client kept and from what the gateway kept', async () => {
    const home = await mkdtemp(join(tmpdir(), 'crosspoint-restart-'));
    endings.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const workspace = new Workspace({ folder: home });
    const memory = new ConversationMemory();
    const conversationId = 'agent-restart';
    const open = async (model: string) => {
      const program = await startProgram(['serve', '--port', '0'], { home });
      endings.push(() => program.stop());
      const client = new NativeClient({ url: program.url, apiKey: 'any', carrier: 'http2' });
      return { program, agent: client.openAgent({ workspace, model, conversationId, memory }) };
    };
    const before = await open('demo/demo');
    expectDone(await before.agent.send('run echo kept'));
    await before.program.stop();

    const after = await open('demo/echo');
    const turn = await after.agent.send('and now?');
    expectDone(turn);
    const rolesOf = ({ record }: Turn) => {
      const { messages } = JSON.parse(record.text) as { messages: { role: string }[] }; // demo/echo writes it
      return messages.map(({ role }) => role).filter((role) => role !== 'system');
    };
    expect(rolesOf(turn)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);

    const bare = new NativeClient({ url: after.program.url, apiKey: 'any', carrier: 'http1' }).openAgent({
      workspace,
      model: 'demo/echo',
      conversationId,
    });
    const again = await bare.send('and once more?');
    expectDone(again);
    expect(rolesOf(again)).toEqual([...rolesOf(turn), 'assistant', 'user']);
  });
});

describe('a gateway that is killed in the middle of a run', () => {
  it('takes the run up again when it is back, and nothing runs twice', async () => {
    const home = await mkdtemp(join(tmpdir(), 'crosspoint-killed-'));
    endings.push(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));
    const append = (word: string) => ({
      name: 'run_terminal_command',
      args: { command: `echo ${word} >> log.txt` },
    });
    const model = await startScriptedModel([[append('one')], [append('two')], [append('three')]]);
    endings.push(() => model.stop());
    const start = async (port: string) => {
      const upstream = `up:openai-chat=${model.baseUrl}`;
      const program = await startProgram(['serve', '--port', port, '--upstream', upstream], { home });
      endings.push(() => program.stop());
      return program;
    };
    const first = await start('0');
    const { port } = new URL(first.url);
    const folder = join(home, 'work');
    await mkdir(folder);
    const client = new NativeClient({ url: first.url, apiKey: 'any', carrier: 'http2' });
    const agent = client.openAgent({ workspace: new Workspace({ folder }), model: 'up/m' });
    let isKilled = false;
    const turn = await agent.send('Do it.', {
      onFrame: ({ message }) => {
        const isDone =
          message.case === 'interactionUpdate' && message.value.message.case === 'toolCallCompleted';
        if (isDone && !isKilled) {
          isKilled = true;
          first.child.kill('SIGKILL');
        }
      },
      beforeRetry: async () => void (await start(port)),
    });
    expectDone(turn);
    expect(turn.record.attempts).toBe(2);
    expect(turn.record.text).toContain('All done.');
    // At most the command that was on its way in that moment may be missing.
    const log = (await readFile(join(folder, 'log.txt'), 'utf8')).trimEnd().split('\n');
    expect(new Set(log).size).toBe(log.length);
    expect([log[0], log.at(-1)]).toEqual(['one', 'three']);
  });
});

import { describe, expect, it } from 'vitest';
import { type AgentCall, GatewayError } from '../core/index.ts';
import { MemoryLedger } from './fixtures/memory-ledger.ts';
import { playRun, stage } from './fixtures/play-run.ts';
import { ScriptedTools, textResult } from './fixtures/scripted-tools.ts';
import { runOnce } from './once.ts';
import { runAgent } from './run-agent.ts';

const call = (name: string): AgentCall => ({ callId: 'c', name, kind: 'function', argumentsText: '{}' });
const context = { mode: 'agent', signal: new AbortController().signal, onProgress: () => {} } as const;
const gone = () => Promise.reject(new GatewayError('upstream-unavailable', 'The client is gone.'));

describe('a call with a ledger', () => {
  it('runs once and gives its result as often as it is asked for', async () => {
    const tools = new ScriptedTools([{ name: 'write', run: () => textResult('written') }]);
    const ledger = new MemoryLedger();
    const first = await runOnce(tools, ledger).run(call('write'), context);
    expect(await runOnce(tools, ledger).run(call('write'), context)).toEqual(first);
    expect(tools.executions).toEqual(new Map([['c', 1]]));
  });

  it('that was interrupted and changes things is not repeated', async () => {
    const ledger = new MemoryLedger();
    const lost = runOnce(new ScriptedTools([{ name: 'write', run: gone }]), ledger);
    await expect(lost.run(call('write'), context)).rejects.toThrow('gone');
    const tools = new ScriptedTools([{ name: 'write' }]);
    const result = await runOnce(tools, ledger).run(call('write'), context);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('unknown whether') }],
    });
    expect(tools.executions.size).toBe(0);
    expect(await ledger.begin(call('write'))).toEqual({ state: 'done', result });
  });

  it('that was interrupted and only reads is run again', async () => {
    const ledger = new MemoryLedger();
    const lost = runOnce(new ScriptedTools([{ name: 'read', isReadOnly: true, run: gone }]), ledger);
    await expect(lost.run(call('read'), context)).rejects.toThrow('gone');
    const again = runOnce(new ScriptedTools([{ name: 'read', isReadOnly: true }]), ledger);
    expect(await again.run(call('read'), context)).toEqual(textResult('ok'));
  });

  it('does not begin when the run is over already', async () => {
    const tools = new ScriptedTools([{ name: 'write' }]);
    const ledger = new MemoryLedger();
    const cancelled = { ...context, signal: AbortSignal.abort() };
    await expect(runOnce(tools, ledger).run(call('write'), cancelled)).rejects.toThrow();
    expect(await ledger.begin(call('write'))).toEqual({ state: 'new' });
  });

  it('does not run when the run ends while it is written down', async () => {
    const tools = new ScriptedTools([{ name: 'write' }]);
    const controller = new AbortController();
    const ledger = new MemoryLedger();
    const running = runOnce(tools, ledger).run(call('write'), { ...context, signal: controller.signal });
    controller.abort();
    await expect(running).rejects.toThrow();
    expect(tools.executions.size).toBe(0);
  });
});

describe('a run that is cut after any event and taken up again', () => {
  const script = () => ({
    script: [{ calls: [{ name: 'write' }, { name: 'write' }, { name: 'write' }] }, { text: 'Done.' }],
  });

  it('executes no changing call twice and ends well', async () => {
    for (let cut = 1; cut < 12; cut++) {
      const ledger = new MemoryLedger();
      const first = stage({ ...script(), tools: [{ name: 'write', parallel: 'alone' }] });
      let messages = first.options.task.messages;
      let seen = 0;
      for await (const event of runAgent({ ...first.options, tools: runOnce(first.tools, ledger) })) {
        // What a front stores: the open round, then the settled one.
        if (event.type === 'round-open') messages = [...first.options.task.messages, event.message];
        if (event.type === 'step-end') messages = [...first.options.task.messages, ...event.messages];
        if (++seen === cut) break;
      }
      const isBegun = messages.length > 1;
      const second = stage({
        script: isBegun ? [{ text: 'Done.' }] : script().script,
        tools: [{ name: 'write', parallel: 'alone' }],
        task: { messages },
      });
      let last: unknown;
      for await (const event of runAgent({ ...second.options, tools: runOnce(second.tools, ledger) }))
        last = event;
      expect(last, `cut after ${cut}`).toMatchObject({ reason: 'done' });
      const counts = ['c1', 'c2', 'c3'].map(
        (id) => (first.tools.executions.get(id) ?? 0) + (second.tools.executions.get(id) ?? 0),
      );
      expect(Math.max(...counts), `cut after ${cut}`).toBe(1);
      // At most one call was under way at the cut: of the others it is known whether they ran.
      expect(counts.filter((count) => count === 0).length, `cut after ${cut}`).toBeLessThanOrEqual(1);
    }
  });

  it('needs no ledger to end well', async () => {
    expect((await playRun({ ...script(), tools: [{ name: 'write' }] })).end).toMatchObject({
      reason: 'done',
    });
  });
});

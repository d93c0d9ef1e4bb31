import { describe, expect, it } from 'vitest';
import { aRun, MODES, startPair } from '../../../../test/support/agent-backend/backend-pair.ts';
import { ManualTimers, runRequest, silent } from '../../../../test/support/agent-backend/index.ts';

describe.each(MODES)('a run that falls silent over %s', (mode) => {
  it('is dead after 30 s without a frame, and the server is told', async () => {
    const timers = new ManualTimers();
    const { backend, transport } = await startPair({ script: silent }, { mode, timers });
    const connection = await transport.openRun(aRun());
    await connection.send(runRequest());
    const next = connection.messages[Symbol.asyncIterator]().next();
    const run = await backend.run(0);
    timers.advance(30_000);
    await expect(next).rejects.toMatchObject({ code: 'deadline-exceeded', detail: { reason: 'run_silent' } });
    await run.closed;
  });

  it('is not kept alive by heartbeats alone, unless it waits for us', async () => {
    const timers = new ManualTimers();
    const { backend, transport } = await startPair({ script: silent }, { mode, timers });
    const connection = await transport.openRun(aRun());
    connection.setExpecting(false);
    await connection.send(runRequest());
    const messages = connection.messages[Symbol.asyncIterator]();
    const run = await backend.run(0);
    const beats = async (count: number) => {
      for (let beat = 0; beat < count; beat++) {
        const next = messages.next();
        timers.advance(4_000);
        await run.heartbeat();
        await next;
      }
    };
    await beats(60);
    connection.setExpecting(true);
    await beats(29);
    const next = messages.next();
    timers.advance(4_000);
    await expect(next).rejects.toMatchObject({
      code: 'deadline-exceeded',
      detail: { reason: 'run_stalled' },
    });
    await run.closed;
  });
});

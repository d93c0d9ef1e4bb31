// A gateway that stops while runs are open: every client is told, in words that let it come back.
import { Code, ConnectError } from '@connectrpc/connect';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { CarrierKind } from '../support/native-client/index.ts';
import { openStage } from '../support/native-client/open-stage.ts';

const RUNS = 25;

it.each(['http1', 'http2'] as const)(
  'open runs over %s end with a reason to try again',
  async (carrier: CarrierKind) => {
    const stage = await openStage({
      rounds: [],
      script: { before: () => new Promise(() => {}) },
      config: (config) => ({ ...config, server: { ...config.server, shutdownGraceMs: 3_000 } }),
    });
    let isStopped = false;
    onTestFinished(async () => {
      if (!isStopped) await stage.stop();
    });
    const agents = await Promise.all(Array.from({ length: RUNS }, () => stage.agent(carrier)));
    const sent = agents.map(({ agent }) => agent.send('hello', { isRetried: false }));
    await vi.waitFor(() => expect(stage.model?.requests).toHaveLength(RUNS), 20_000);
    const startedAt = performance.now();
    isStopped = true;
    await stage.stop();
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    for (const { end } of await Promise.all(sent)) {
      const error = ConnectError.from('error' in end ? end.error : undefined);
      expect(error.code).toBe(Code.Unavailable);
      expect(error.rawMessage).toContain('The gateway is shutting down');
    }
  },
);

// Published clients, unmodified, through the built gateway on the demo model. Judged by files that their own tools wrote
// or read, by their exit codes, and by the gateway's log: which dialect was spoken and how many calls a turn held.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { omitUndefined } from '../../src/core/index.ts';
import { CLIENTS, describeWay } from './clients/index.ts';
import { isPossible, SCENARIOS } from './scenarios.ts';
import { type Installation, installClient } from './support/install-client.ts';
import { openPlace, type Place } from './support/place.ts';
import { runClient } from './support/run-client.ts';
import { describeRun } from './support/run-process.ts';

/** How long the gateway's last log line may take to get here after the client has ended. */
const LOG_TIMEOUT_MS = 5_000;

for (const client of CLIENTS) {
  const name = `${client.title} ${client.version}`;

  describe(name, () => {
    let installation: Installation = { problem: 'it was not tried' };
    let place: Place | undefined;

    beforeAll(async () => {
      installation = await installClient(client);
      if ('program' in installation)
        place = await openPlace(client.ways.flatMap(({ modelAlias }) => modelAlias ?? []));
    });

    afterAll(() => place?.stop());

    for (const way of client.ways) {
      for (const scenario of SCENARIOS) {
        if (!isPossible(scenario, client, way)) continue;
        const test = way.knownGap === undefined ? it : it.fails;
        test(`over ${describeWay(way)}: ${scenario.title}`, async ({ task, skip }) => {
          task.meta.interop = omitUndefined({
            client: name,
            way: describeWay(way),
            scenario: scenario.name,
            knownGap: way.knownGap,
          });
          if ('problem' in installation) return skip(installation.problem);
          if (!place) throw new Error('the gateway was not started');
          const { isolation, gateway } = place;
          task.meta.interop.protection = isolation.protection;

          const word = `w${randomUUID().slice(0, 8)}`;
          const before = gateway.turns().length;
          const setup = { client, way, isolation, program: installation.program, gatewayUrl: gateway.url };
          const run = await runClient(setup, scenario.task(client.name, word));

          expect(run.code, describeRun(run)).toBe(0);
          scenario.check(run, word, client.name);
          await vi.waitFor(() => {
            const turns = gateway.turns().slice(before);
            expect(turns.filter(({ toolCalls }) => toolCalls > 0)).not.toEqual([]);
            scenario.checkTurns?.(turns);
            expect(new Set(turns.map(({ front }) => front))).toEqual(new Set([way.front]));
            expect(turns.filter(({ outcome }) => outcome === 'error')).toEqual([]);
          }, LOG_TIMEOUT_MS);
        });
      }
    }
  });
}

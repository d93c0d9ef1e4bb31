// Every registered front with every registered upstream kind: one table of scenarios, whole and streamed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEMO_CLIENTS } from '../../src/cli/demo/index.ts';
import { createFronts, UPSTREAM_KINDS } from '../../src/dialects/index.ts';
import { type Asking, createAsking } from './asking.ts';
import { type GatewayPair, startGatewayPair } from './gateway-pair.ts';
import { findGap, KNOWN_GAPS, type KnownGap } from './known-gaps.ts';
import { OPTION_WRITERS } from './options/index.ts';
import { SCENARIOS } from './scenarios/index.ts';
import type { Scenario } from './scenarios/scenario.ts';

const fronts = createFronts().map(({ dialect }) => dialect);
const kinds = UPSTREAM_KINDS.map(({ kind }) => kind);
let pair: GatewayPair;

beforeAll(async () => {
  pair = await startGatewayPair(kinds);
});
afterAll(() => pair?.stop());

function askingOf(front: string, upstream: string, stream: boolean): Asking {
  const client = DEMO_CLIENTS.find((one) => one.front === front);
  const writer = OPTION_WRITERS.find((one) => one.front === front);
  if (!client || !writer)
    throw new Error(
      `The front ${front} has no test client: add one to DEMO_CLIENTS (src/cli/demo) and one to OPTION_WRITERS (test/conformance/options).`,
    );
  return createAsking({ pair, client, writer, upstream, stream });
}

async function expectGap(scenario: Scenario, asking: Asking, gap: KnownGap): Promise<void> {
  const isClosed = await scenario.run(asking).then(
    () => true,
    () => false,
  );
  if (isClosed) throw new Error(`This gap is closed; take it off known-gaps.ts. It said: ${gap.reason}`);
}

describe.each(fronts)('front %s', (front) => {
  describe.each(kinds)('on upstream %s', (upstream) => {
    describe.each([
      ['in one piece', false],
      ['streamed', true],
    ])('%s', (_, stream) => {
      for (const scenario of SCENARIOS) {
        const gap = findGap(scenario.name, front, upstream);
        it(gap ? `${scenario.name} (known gap: ${gap.reason})` : scenario.name, async () => {
          const asking = askingOf(front, upstream, stream);
          await (gap ? expectGap(scenario, asking, gap) : scenario.run(asking));
        });
      }
    });
  });
});

describe('the list of known gaps', () => {
  it('names scenarios, fronts and upstreams that exist', () => {
    const names = SCENARIOS.map(({ name }) => name);
    const strays = KNOWN_GAPS.filter(
      ({ scenario, front, upstream }) =>
        !names.includes(scenario) ||
        (front !== undefined && !fronts.includes(front)) ||
        (upstream !== undefined && !kinds.includes(upstream)),
    );
    expect(strays).toEqual([]);
  });
});

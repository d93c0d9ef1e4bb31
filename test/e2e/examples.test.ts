import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../support/program.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';

/** What each example must print. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  'tool-loop.ts': /"name": "crosspoint"/,
  'embedded-gateway.ts': /42/,
};

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe('the examples', () => {
  it('are all known to this test', () => {
    expect(readdirSync(join(ROOT, 'examples')).sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.entries(EXPECTED))('%s runs and prints what it should', async (name, expected) => {
    const env = { PATH: process.env.PATH, HOME: ROOT, CROSSPOINT_URL: `${gateway.url}/v1` };
    const printed = await new Promise<string>((resolve, reject) => {
      const args = ['--import', 'tsx', join('examples', name)];
      execFile(process.execPath, args, { cwd: ROOT, env }, (error, stdout) =>
        error ? reject(error) : resolve(stdout),
      );
    });
    expect(printed).toMatch(expected);
  });
});

import { expect, it, vi } from 'vitest';
import { startOnTerminal } from './terminal-process.ts';

vi.mock('@lydell/node-pty', () => {
  throw new Error('Cannot find module');
});

it('says that terminals need a package when it is not there, and what works without', async () => {
  const spec = { argv: ['bash'], cwd: '/', env: {}, hasInput: true };
  await expect(startOnTerminal(spec, () => undefined)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringMatching(/@lydell\/node-pty.*Use stdin: "pipe"/),
  });
});

// Law 7: back-pressure end to end. A client that reads slowly slows the upstream; the gateway holds next to nothing.
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type ProgramUnderTest, startProgram } from '../support/program.ts';
import {
  chunk,
  DONE,
  type ScriptedUpstream,
  startScriptedUpstream,
  startSse,
} from '../support/scripted-upstream.ts';

const TOTAL_BYTES = 100 * 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * 1024 * 1024;

const open: { upstream?: ScriptedUpstream; program?: ProgramUnderTest } = {};

afterEach(async () => {
  await open.program?.stop();
  await open.upstream?.stop();
});

describe('a slow reader on a 100 MB stream', () => {
  it("keeps the gateway's memory flat and gets every byte", async () => {
    const piece = chunk({ content: 'x'.repeat(16 * 1024) });
    const pieces = Math.ceil(TOTAL_BYTES / piece.length);
    open.upstream = await startScriptedUpstream(async (response) => {
      startSse(response);
      for (let i = 0; i < pieces; i++) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end(chunk({}, 'stop') + DONE);
    });
    // Its own process: this one's memory holds the test's data as well.
    open.program = await startProgram([
      'serve',
      '--port',
      '0',
      '--upstream',
      `up:openai-chat=${open.upstream.baseUrl}`,
    ]);
    const before = await open.program.residentBytes();
    let peak = before;
    let received = 0;
    await new Promise<void>((resolve, reject) => {
      const post = request(`${open.program?.url}/v1/chat/completions`, { method: 'POST' }, (response) => {
        response.on('data', (data: Buffer) => {
          received += data.length;
          // Pausing for a turn of the loop after every chunk keeps this reader behind the upstream all the time.
          response.pause();
          setImmediate(async () => {
            if (received % (8 * 1024 * 1024) < data.length) {
              peak = Math.max(peak, (await open.program?.residentBytes()) ?? 0);
            }
            response.resume();
          });
        });
        response.on('end', resolve).on('error', reject);
      });
      post.on('error', reject);
      post.end(JSON.stringify({ model: 'up/m', stream: true, messages: [{ role: 'user', content: 'x' }] }));
    });
    expect(received).toBeGreaterThan(TOTAL_BYTES);
    expect(peak - before).toBeLessThan(MAX_GROWTH_BYTES);
  }, 120_000);
});

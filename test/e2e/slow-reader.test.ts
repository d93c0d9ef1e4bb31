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

const MEBIBYTE = 1024 * 1024;
const TOTAL_BYTES = 100 * MEBIBYTE;
/** Brings the heap to the size it works with; what grows after that grew with the stream. */
const WARM_UP_BYTES = 30 * MEBIBYTE;
const MAX_GROWTH_BYTES = 64 * MEBIBYTE;

const open: { upstream?: ScriptedUpstream; program?: ProgramUnderTest } = {};

afterEach(async () => {
  await open.program?.stop();
  await open.upstream?.stop();
});

describe('a slow reader on a 100 MB stream', () => {
  it("keeps the gateway's memory flat and gets every byte", async () => {
    const piece = chunk({ content: 'x'.repeat(16 * 1024) });
    open.upstream = await startScriptedUpstream(async (response, { body }) => {
      startSse(response);
      const { max_tokens: bytes } = JSON.parse(body) as { max_tokens: number }; // the test's own request
      for (let sent = 0; sent < bytes; sent += piece.length) {
        if (!response.write(piece)) await new Promise((resolve) => response.once('drain', resolve));
      }
      response.end(chunk({}, 'stop') + DONE);
    });
    // Its own process: this one's memory holds the test's data as well.
    const program = await startProgram([
      'serve',
      '--port',
      '0',
      '--upstream',
      `up:openai-chat=${open.upstream.baseUrl}`,
    ]);
    open.program = program;
    await readSlowly(program, WARM_UP_BYTES);
    const before = await program.residentBytes();
    const { received, peak } = await readSlowly(program, TOTAL_BYTES);
    expect(received).toBeGreaterThan(TOTAL_BYTES);
    expect(peak - before).toBeLessThan(MAX_GROWTH_BYTES);
  }, 120_000);
});

/** Asks for so many bytes and pauses after every chunk, so that the reader is behind the upstream all the time. */
async function readSlowly(
  program: ProgramUnderTest,
  bytes: number,
): Promise<{ received: number; peak: number }> {
  let received = 0;
  let peak = 0;
  await new Promise<void>((resolve, reject) => {
    const post = request(`${program.url}/v1/chat/completions`, { method: 'POST' }, (response) => {
      response.on('data', (data: Buffer) => {
        received += data.length;
        response.pause();
        setImmediate(async () => {
          if (received % (8 * MEBIBYTE) < data.length) peak = Math.max(peak, await program.residentBytes());
          response.resume();
        });
      });
      response.on('end', resolve).on('error', reject);
    });
    post.on('error', reject);
    post.end(
      JSON.stringify({
        model: 'up/m',
        stream: true,
        max_tokens: bytes,
        messages: [{ role: 'user', content: 'x' }],
      }),
    );
  });
  return { received, peak };
}

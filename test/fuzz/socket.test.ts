// Bad and huge bodies over a real socket: never a status of 500 or more, and nothing malformed goes upstream.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFronts } from '../../src/dialects/index.ts';
import { callHttp1 } from '../../src/server/fixtures/clients.ts';
import type { ScriptedUpstream } from '../support/scripted-upstream.ts';
import { startTestGateway, type TestGateway } from '../support/test-gateway.ts';
import { HTTP_KINDS, startAnsweringUpstream } from './answering-upstream.ts';
import { decodeBody } from './decode-body.ts';
import { mutatedBodies } from './mutated-bodies.ts';
import { seedBodies } from './seed-bodies.ts';

const BODIES_PER_KIND = 150;
const SEED = 4711;
const MEBIBYTE = 1024 * 1024;

let upstream: ScriptedUpstream;
let gateway: TestGateway;

beforeAll(async () => {
  upstream = await startAnsweringUpstream();
  const upstreams = HTTP_KINDS.map(
    (kind) => [kind, { kind, baseUrl: upstream.baseUrl, retries: 0 }] as const,
  );
  gateway = await startTestGateway({ upstreams: Object.fromEntries(upstreams) });
});
afterAll(async () => {
  await gateway?.stop();
  await upstream?.stop();
});

const headers = { 'content-type': 'application/json' };

describe.each(createFronts())('the front $dialect', (front) => {
  const path = front.turnPaths[0] ?? '/';

  describe.each(HTTP_KINDS)('on an upstream of kind %s', (kind) => {
    it('answers the bodies that the fuzzing begins with', async () => {
      for (const body of seedBodies(front.dialect, `${kind}/m`)) {
        const response = await gateway.post(path, body);
        const text = await response.text();
        // The rich chat body holds a sound, which Anthropic's models cannot take: a refusal is right there.
        if (kind === 'anthropic-messages' && text.includes('takes no sound')) continue;
        expect([response.status, text]).toEqual([200, expect.stringContaining('hello')]);
      }
    });

    it('survives arguments that are nested too deep to be written again', async () => {
      const nested = `{"path":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
      for (const body of seedBodies(front.dialect, `${kind}/m`)) {
        const text = JSON.stringify(body).replaceAll(
          JSON.stringify('{"path":"notes.txt"}'),
          JSON.stringify(nested),
        );
        expect((await gateway.post(path, text)).status).toBeLessThan(500);
      }
    });

    it('answers bad bodies with 200 or 4xx and passes no malformed one on', async () => {
      const problems: unknown[] = [];
      let number = 0;
      for (const body of mutatedBodies(front.dialect, `${kind}/m`, SEED)) {
        if (++number > BODIES_PER_KIND) break;
        const isMalformed = await decodeBody(front, body).then(
          () => false,
          () => true,
        );
        const before = upstream.requests.length;
        const response = await fetch(gateway.url + path, { method: 'POST', headers, body });
        const text = await response.text();
        const isRefused = response.status >= 400 && response.status < 500;
        const wentUpstream = upstream.requests.length > before;
        const isGood = isMalformed ? isRefused && !wentUpstream : isRefused || response.status === 200;
        if (!isGood) {
          const shown = Buffer.from(body).toString('utf8').slice(0, 2000);
          problems.push({
            number,
            status: response.status,
            text: text.slice(0, 500),
            isMalformed,
            wentUpstream,
            shown,
          });
        }
      }
      expect(problems.slice(0, 5)).toEqual([]);
    });
  });

  it('takes a body of 50 MB', async () => {
    const before = upstream.requests.length;
    const response = await gateway.post(path, bigBody(front.dialect, 50 * MEBIBYTE));
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('hello')]);
    expect(upstream.requests[before]?.body.length).toBeGreaterThan(50 * MEBIBYTE);
    upstream.requests.splice(before); // it is large, and nobody needs it any more
  });

  it('refuses a body of 70 MB with 413 in its own dialect', async () => {
    const before = upstream.requests.length;
    const body = bigBody(front.dialect, 70 * MEBIBYTE);
    for (const framing of [{ 'content-length': String(body.length) }, { 'transfer-encoding': 'chunked' }]) {
      const call = { method: 'POST', headers: { ...headers, ...framing }, body };
      const reply = await callHttp1(gateway.url + path, call);
      expect(reply.status).toBe(413);
      expect(JSON.parse(reply.body)).toMatchObject({
        error: { message: expect.stringContaining('limits.maxRequestBytes') },
      });
    }
    expect(upstream.requests.length).toBe(before);
  });
});

it('the gateway has met nothing unexpected and is still up', async () => {
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
  const isError = (line: string) => /"level":"(error|fatal)"/.test(line);
  expect(gateway.logLines.filter(isError).slice(0, 3)).toEqual([]);
});

/** A good body whose first words are very long. */
function bigBody(front: string, bytes: number): string {
  const [body] = seedBodies(front, 'openai-chat/m');
  return JSON.stringify(body).replace('hello', 'x'.repeat(bytes));
}

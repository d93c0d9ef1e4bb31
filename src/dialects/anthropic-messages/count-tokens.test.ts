import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { FrontServices } from '../dialect.ts';
import { countTokensRoutes, estimateInputTokens } from './count-tokens.ts';
import { decodeRequestBody } from './decode-request.ts';

const bytesOf = (body: JsonObject) => Buffer.from(JSON.stringify(body));
const decode = (body: JsonObject) => decodeRequestBody(parseJsonBody(bytesOf(body)), {});

/** Asks the route, with an upstream that counts so many tokens or cannot count. */
async function ask(body: JsonObject, counted: number | undefined) {
  const [route] = countTokensRoutes;
  const received = {
    method: 'POST',
    path: '/',
    query: new URLSearchParams(),
    headers: {},
    body: bytesOf(body),
  };
  const services = { countTokens: async () => counted } as unknown as FrontServices; // it needs no more
  return await route?.handle(received, {}, services);
}

const hello = { model: 'm', messages: [{ role: 'user', content: 'hello' }] };

describe('counting tokens', () => {
  it("needs no max_tokens, and gives the upstream's own count", async () => {
    expect(await ask(hello, 7)).toEqual({ status: 200, body: { input_tokens: 7 } });
    await expect(ask({ model: 'm' }, 7)).rejects.toThrow(/`messages` must be an array/);
  });

  it('says that an estimate is one', async () => {
    expect(await ask(hello, undefined)).toMatchObject({
      headers: { 'x-crosspoint-estimated': 'true' },
      body: { input_tokens: expect.any(Number), estimated: true },
    });
  });

  it('guesses more for more of anything', () => {
    const base = estimateInputTokens(decode(hello));
    const image = { type: 'image', source: { type: 'url', url: 'https://x/y' } };
    const pdf = {
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: 'A'.repeat(100_000) },
    };
    const use = { type: 'tool_use', id: 't', name: 'f', input: { a: 'x'.repeat(400) } };
    const outcome = { type: 'tool_result', tool_use_id: 't', content: 'y'.repeat(400) };
    const richer: JsonObject[] = [
      { ...hello, system: 'long '.repeat(50) },
      { ...hello, tools: [{ name: 'f', input_schema: { type: 'object' } }] },
      { ...hello, messages: [{ role: 'user', content: [image] }] },
      { ...hello, messages: [{ role: 'user', content: [pdf] }] },
      { ...hello, messages: [{ role: 'assistant', content: [use] }] },
      { ...hello, messages: [{ role: 'user', content: [outcome] }] },
      { ...hello, messages: [{ role: 'user', content: [{ type: 'new', data: 'z'.repeat(100) }] }] },
    ];
    expect(base).toBeGreaterThan(0);
    for (const body of richer) expect(estimateInputTokens(decode(body))).toBeGreaterThan(base);
  });
});

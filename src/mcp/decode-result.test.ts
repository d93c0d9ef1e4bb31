import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { decodeResult } from './decode-result.ts';

const decode = (result: CallToolResult) => decodeResult(result, 'srv', 'do');

it('says so when a tool returned nothing', () => {
  expect(decode({ content: [] })).toMatchObject({
    ok: true,
    content: 'srv:do is done and returned nothing.',
  });
  expect(decode({ content: [], isError: true })).toMatchObject({
    error: { message: 'srv:do failed and did not say why.' },
  });
});

it('does not repeat structured content that the text says already', () => {
  const outcome = decode({ content: [{ type: 'text', text: '{"n":1}' }], structuredContent: { n: 1 } });
  expect(outcome).toMatchObject({ content: '{"n":1}', data: { structured_content: { n: 1 } } });
});

it('takes a picture for a picture, however it is wrapped', () => {
  const resource = { uri: 'x://p.png', mimeType: 'image/png', blob: 'AAAA' };
  expect(decode({ content: [{ type: 'resource', resource }] })).toMatchObject({ parts: [{ type: 'image' }] });
});

it('shows a block of a kind it does not know instead of dropping it', () => {
  const block = { type: 'hologram', depth: 3 } as unknown as CallToolResult['content'][number]; // a newer server's
  expect(decode({ content: [block] })).toMatchObject({ content: '{"type":"hologram","depth":3}' });
});

it('leaves out parts past its bound, with a notice', () => {
  const data = 'A'.repeat(20_000_000);
  const image = { type: 'image', data, mimeType: 'image/png' } as const;
  const outcome = decode({ content: [image, image] });
  expect(outcome).toMatchObject({ parts: [{ type: 'image' }] });
  expect(outcome.ok && outcome.content).toMatch(
    /attached\]\n\[image\/png, \d+ KiB: left out, the answer is too large\]$/,
  );
});

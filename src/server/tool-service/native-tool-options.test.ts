import { createServer } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type LoopbackServer,
  startLoopbackServer,
} from '../../tools/builtin/web/fixtures/loopback-server.ts';
import type { JudgedCall } from '../../tools/remote/index.ts';
import { createNativeToolOptions, type NativeToolOptions } from './native-tool-options.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const signal = new AbortController().signal;

let server: LoopbackServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

function options(sections: {
  policy?: Record<string, unknown>;
  tools?: Record<string, unknown>;
}): Promise<NativeToolOptions> {
  return createNativeToolOptions(
    { policy: undefined, tools: undefined, mcp: undefined, ...sections },
    '/home/op',
  )();
}

async function serve(answer: unknown): Promise<LoopbackServer> {
  server = await startLoopbackServer(createServer(), (_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
  return server;
}

describe('what the sections say to native clients', () => {
  it('is nothing when nothing is configured', async () => {
    const { gates, ...rest } = await options({});
    expect(rest).toEqual({});
    expect(Object.values(gates ?? {}).some(Boolean)).toBe(false);
  });

  it('is read once', () => {
    const load = createNativeToolOptions({ policy: undefined, tools: undefined, mcp: undefined });
    expect(load()).toBe(load());
  });

  it('switches the gates', async () => {
    const { gates } = await options({ tools: { gates: { ask_question_all_modes: true } } });
    expect(gates?.ask_question_all_modes).toBe(true);
  });

  it('forbids by the rules alone, and says who and why', async () => {
    const { forbids } = await options({
      policy: {
        rules: [
          { id: 'no-keys', decision: 'deny', path: 'keys/**', reason: 'Keys are not for models.' },
          { decision: 'ask', tool: 'write' },
        ],
      },
    });
    const call = (path: string): JudgedCall => ({
      tool: { name: 'read_file', number: 40, risk: 'read' },
      touches: [{ type: 'path', path, access: 'read' }],
      mode: 'agent',
      folders: ['/far/away'],
    });
    const reason = await forbids?.(call('/far/away/keys/a'));
    expect(reason).toMatch(
      /^The operator of this gateway forbids this call: Keys are not for models \(rule no-keys\)\. /,
    );
    expect(await forbids?.(call('/far/away/src/a'))).toBeUndefined();
    expect(
      (await options({ policy: { rules: [{ decision: 'ask', tool: 'write' }] } })).forbids,
    ).toBeUndefined();
  });
});

describe('what the gateway does for clients that cannot', () => {
  it('searches with the configured service', async () => {
    const { url } = await serve({ results: [{ title: 'T', url: 'https://t.example/', content: 'c' }] });
    const { webSearch } = await options({ tools: { webSearch: { provider: 'searxng', baseUrl: url } } });
    const outcome = await webSearch?.({ search_term: 'beans', max_results: 3 }, signal);
    expect(outcome).toMatchObject({ ok: true, content: expect.stringContaining('https://t.example/') });
    expect(server?.requests[0]?.path).toContain('q=beans');
  });

  it('makes pictures, and says what it cannot be shown', async () => {
    const { url } = await serve({ data: [{ b64_json: PIXEL }] });
    const { generateImage } = await options({ tools: { images: { baseUrl: `${url}/v1`, model: 'm' } } });
    const wish = { description: 'a dot', reference_image_paths: [], aspect_ratio: '1:1' };
    const outcome = await generateImage?.(wish, signal);
    expect(outcome).toMatchObject({
      ok: true,
      parts: [{ type: 'image', source: { type: 'base64', mediaType: 'image/png', data: PIXEL } }],
    });
    const refused = await generateImage?.({ ...wish, reference_image_paths: ['a.png'] }, signal);
    expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('a.png') } });
    expect(server?.requests).toHaveLength(1);
  });

  it('tells what the service said when it fails', async () => {
    const { url } = await serve({ nothing: true });
    const { generateImage } = await options({ tools: { images: { baseUrl: url, model: 'm' } } });
    const wish = { description: 'a dot', reference_image_paths: [], aspect_ratio: '1:1' };
    expect(await generateImage?.(wish, signal)).toMatchObject({ ok: false, error: { code: 'FAILED' } });
  });

  it('reads pages only where the operator speaks of the web, and none of its own network', async () => {
    const { url, port } = await serve({ inner: true });
    const { webFetch } = await options({ tools: { web: { privateHosts: [`127.0.0.1:${port}`] } } });
    const outcome = await webFetch?.({ url, format: 'markdown' }, signal);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'DENIED' } });
    expect(server?.requests).toEqual([]);
    expect((await options({ tools: { gates: {} } })).webFetch).toBeUndefined();
  });
});

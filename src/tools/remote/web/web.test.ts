import { readFileSync } from 'node:fs';
import path from 'node:path';
import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { RequestContextEnvSchema } from '../../../gen/agent/v1/request_context_pb.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { createBench, textIn } from '../fixtures/remote-bench.ts';

const approved = { result: { case: 'approved' as const, value: {} } };

describe('the web through a client', () => {
  it('is searched by this side after the user has agreed', async () => {
    const asked: unknown[] = [];
    const { run, tools } = createBench(
      { onQuery: () => ({ case: 'webSearchRequestResponse', value: approved }) },
      {
        webSearch: async (args) => {
          asked.push(args);
          return succeed('found', { data: { references: [{ title: 'T', url: 'u', chunk: 'c' }] } });
        },
      },
    );
    expect(textIn(await run('WebSearch', { query: 'x' }))).toBe('found');
    expect(asked).toEqual([{ search_term: 'x', max_results: 8 }]);
    const names = (await tools.list('agent', new AbortController().signal)).map((tool) => tool.name);
    expect(names).toContain('web_search');
  });

  it('is not searched without a service, nor without consent', async () => {
    const without = createBench();
    expect(textIn(await without.run('web_search', { search_term: 'x' }))).toContain('not implemented');
    const names = (await without.tools.list('agent', new AbortController().signal)).map((tool) => tool.name);
    expect(names).not.toContain('web_search');
    for (const answer of [
      {
        case: 'webSearchRequestResponse' as const,
        value: { result: { case: 'rejected' as const, value: { reason: 'no' } } },
      },
      undefined,
    ]) {
      const { run } = createBench(
        { onQuery: () => answer },
        { webSearch: async () => succeed('must not be reached') },
      );
      const result = await run('web_search', { search_term: 'x' });
      expect(result.isError).toBe(true);
      expect(textIn(result)).not.toContain('reached');
    }
  });

  it('is read by the client, as Markdown', async () => {
    const { run, client } = createBench({
      onQuery: () => ({ case: 'webFetchRequestResponse', value: approved }),
      onExec: () => ({
        case: 'fetchResult',
        value: {
          result: {
            case: 'success',
            value: {
              url: 'https://a.b/',
              content: '<h1>Hi</h1><p>there</p>',
              statusCode: 200,
              contentType: 'text/html',
            },
          },
        },
      }),
    });
    const text = textIn(await run('web_fetch', { url: 'https://a.b/' }));
    expect(text).toContain('# Hi');
    expect(text).toContain('there');
    expect(text).not.toContain('<p>');
    expect(client.execs[0]?.case).toBe('fetchArgs');
  });

  it('is read by this side when the client does not know how', async () => {
    const onQuery = () => ({ case: 'webFetchRequestResponse' as const, value: approved });
    const { run } = createBench({ onQuery }, { webFetch: async ({ url }) => succeed(`read ${url} here`) });
    expect(textIn(await run('web_fetch', { url: 'https://a.b/' }))).toBe('read https://a.b/ here');
    const without = createBench({ onQuery });
    expect(textIn(await without.run('web_fetch', { url: 'https://a.b/' }))).toContain('cannot fetch pages');
  });

  it('says what a page answered', async () => {
    const { run } = createBench({
      onQuery: () => ({ case: 'webFetchRequestResponse', value: approved }),
      onExec: () => ({
        case: 'fetchResult',
        value: { result: { case: 'success', value: { url: 'https://a.b/', statusCode: 404 } } },
      }),
    });
    expect(textIn(await run('web_fetch', { url: 'https://a.b/' }))).toContain('answered 404');
  });
});

describe('pictures and the screen', () => {
  it('a picture made here is saved by the client', async () => {
    const source = { type: 'base64', data: 'iVBORw0KGgo=', mediaType: 'image/png' } as const;
    const { run, folder } = createBench(
      { onQuery: () => ({ case: 'generateImageRequestResponse', value: approved }) },
      { generateImage: async () => succeed('made', { parts: [{ type: 'image', source }] }) },
    );
    const result = await run('generate_image', { description: 'a cat', filename: 'cat.png' });
    expect(result.content[1]).toMatchObject({ type: 'image' });
    expect(readFileSync(path.join(folder, 'assets/cat.png')).toString('base64')).toBe('iVBORw0KGgo=');
    const broken = createBench(
      { onQuery: () => ({ case: 'generateImageRequestResponse', value: approved }) },
      { generateImage: async () => fail('FAILED', 'out of paint') },
    );
    expect(textIn(await broken.run('generate_image', { description: 'a cat' }))).toBe('out of paint');
    expect(textIn(await createBench().run('generate_image', { description: 'a cat' }))).toContain(
      'not implemented',
    );
  });

  it('the screen is offered only by clients that have one, and its pictures are attached', async () => {
    const signal = new AbortController().signal;
    const env = create(RequestContextEnvSchema, { workspacePaths: ['/w'], computerUseSupported: true });
    const { run, tools, client } = createBench({
      context: { env },
      onExec: (args) =>
        args.case === 'recordScreenArgs'
          ? {
              case: 'recordScreenResult',
              value: { result: { case: 'failure', value: { error: 'no disk' } } },
            }
          : {
              case: 'computerUseResult',
              value: {
                result: {
                  case: 'success',
                  value: { actionCount: 2, screenshot: 'iVBORw0KGgo=', cursorPosition: { x: 3, y: 4 } },
                },
              },
            },
    });
    const names = (await tools.list('agent', signal)).map((tool) => tool.name);
    expect(names).toEqual(expect.arrayContaining(['computer_use', 'record_screen']));
    const result = await run('computer_use', { actions: [{ type: 'screenshot' }] });
    expect(textIn(result)).toBe('2 steps done.\nThe pointer is at 3, 4.\nA screenshot is attached.');
    expect(result.content[1]).toMatchObject({ type: 'image', source: { mediaType: 'image/png' } });
    expect(client.execs[0]?.value).toMatchObject({ actions: [{ action: { case: 'screenshot' } }] });
    expect(textIn(await run('record_screen', { mode: 'start' }))).toBe('no disk');
    const plain = (await createBench().tools.list('agent', signal)).map((tool) => tool.name);
    expect(plain).not.toContain('computer_use');
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../tools/tool-outcome.ts';
import { defineServer, type HttpFixture, openHub, serveHttp } from './fixtures/hub-bench.ts';
import { memoryStore } from './keyed-store.ts';
import type { McpHub, McpHubOptions } from './mcp-hub.ts';
import type { SignInPort } from './sign-in.ts';

const { signal } = new AbortController();
const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function serve(kind: Parameters<typeof serveHttp>[0]): Promise<HttpFixture> {
  const fixture = await serveHttp(kind);
  endings.push(() => fixture.stop());
  return fixture;
}

async function hubFor(
  url: string,
  options: Partial<McpHubOptions> = {},
  config: object = {},
): Promise<McpHub> {
  const hub = await openHub([defineServer('test', { url: `${url}/mcp`, ...config })], options);
  endings.push(() => hub.close());
  return hub;
}

function call(hub: McpHub, tool: string, args = {}): Promise<ToolOutcome> {
  return hub.call({ server: 'test', tool, args, signal });
}

function textOf(outcome: ToolOutcome): string {
  return outcome.ok ? outcome.content : `${outcome.error.code}: ${outcome.error.message}`;
}

describe('a server at an address', () => {
  it('works over streamable HTTP with sessions, and a lost session is begun anew', async () => {
    const hub = await hubFor((await serve('sessions')).url);
    expect(textOf(await call(hub, 'echo', { text: 'hi' }))).toBe('hi');
    await call(hub, 'forget');
    expect(textOf(await call(hub, 'echo', { text: 'still' }))).toBe('still');
    expect(hub.servers()).toMatchObject([{ state: 'ready', transport: 'http', auth: 'unneeded' }]);
  });

  it('is told of a cancelled call and reports progress', async () => {
    const hub = await hubFor((await serve('sessions')).url);
    const abort = new AbortController();
    const outcome = await hub.call({
      server: 'test',
      tool: 'slow',
      args: {},
      signal: abort.signal,
      progress: ({ text }) => text === 'step 2' && abort.abort(),
    });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
  });

  it('may speak the newest protocol alone, questions to the user included', async () => {
    const { url } = await serve('modern');
    const hub = await hubFor(url, { elicit: async () => ({ action: 'accept', content: { colour: 'red' } }) });
    expect(textOf(await call(hub, 'add', { a: 2, b: 3 }))).toContain('5');
    expect(JSON.parse(textOf(await call(hub, 'ask')))).toEqual({ colour: 'red' });
    const { resources } = await hub.resources(signal);
    expect(resources.map(({ uri }) => uri)).toContain('memo://one');
  });

  it('may speak the old SSE transport, found out by itself or said', async () => {
    const { url } = await serve('sse');
    expect(textOf(await call(await hubFor(url), 'echo', { text: 'old' }))).toBe('old');
    const told = await hubFor(url, {}, { transport: 'sse' });
    expect(textOf(await call(told, 'echo', { text: 'told' }))).toBe('told');
  });

  it('that nobody serves is an error with the reason', async () => {
    const { url, stop } = await serveHttp('sessions');
    await stop();
    const outcome = textOf(await call(await hubFor(url), 'echo', { text: 'hi' }));
    expect(outcome).toMatch(/^UNAVAILABLE: The MCP server test cannot be reached: .*ECONNREFUSED/);
  });
});

/** A user who follows the address and agrees. */
function browser(
  change: (answer: URLSearchParams) => void = () => undefined,
): SignInPort & { opened: URL[] } {
  const opened: URL[] = [];
  return {
    opened,
    async begin() {
      const { promise, resolve } = withResolvers<URLSearchParams>();
      return {
        redirectUrl: 'http://127.0.0.1:1/callback',
        async show(url) {
          opened.push(url);
          const response = await fetch(url, { redirect: 'manual' });
          const answer = new URL(response.headers.get('location') ?? '').searchParams;
          change(answer);
          resolve(answer);
        },
        answer: promise,
        close: () => undefined,
      };
    },
  };
}

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

describe('a server that wants a sign-in', () => {
  it('says so, opens no browser by itself, and works after the sign-in and after a refresh', async () => {
    const { url } = await serve('oauth');
    const user = browser();
    const tokens = memoryStore();
    const hub = await hubFor(url, { signIn: user, tokens });
    expect(textOf(await call(hub, 'echo', { text: 'hi' }))).toMatch(
      /^EACCES: test wants the user to sign in/,
    );
    expect(hub.servers()).toMatchObject([{ state: 'needs-sign-in', auth: 'needed' }]);
    expect(user.opened).toEqual([]);

    expect(textOf(await hub.signIn('test', signal))).toBe('Signed in to test; its tools can be used now.');
    expect(user.opened).toHaveLength(1);
    expect(user.opened[0]?.searchParams.get('code_challenge_method')).toBe('S256');
    expect(textOf(await call(hub, 'echo', { text: 'hi' }))).toBe('hi');
    expect(hub.servers()).toMatchObject([{ state: 'ready', auth: 'signed-in' }]);

    await fetch(`${url}/expire`);
    expect(textOf(await call(hub, 'echo', { text: 'refreshed' }))).toBe('refreshed');
    expect(user.opened).toHaveLength(1);

    const later = await hubFor(url, { tokens });
    expect(textOf(await call(later, 'echo', { text: 'later' }))).toBe('later');
  });

  it('is not fooled by an answer that belongs to another sign-in', async () => {
    const { url } = await serve('oauth');
    const hub = await hubFor(url, { signIn: browser((answer) => answer.set('state', 'forged')) });
    expect(textOf(await hub.signIn('test', signal))).toMatch(/^EACCES: .* does not belong to it/);
  });

  it('cannot be signed in to where there is no browser, and a program has no sign-in', async () => {
    const { url } = await serve('oauth');
    expect(await (await hubFor(url)).signIn('test', signal)).toMatchObject({
      error: { code: 'UNAVAILABLE' },
    });
    const hub = await openHub([defineServer('test', { command: 'true' })], { signIn: browser() });
    expect(textOf(await hub.signIn('test', signal))).toMatch(/^EINVAL: test is a program on this machine/);
  });

  it('gives up a sign-in that is cancelled', async () => {
    const { url } = await serve('oauth');
    const abort = new AbortController();
    const port: SignInPort = {
      begin: async () => ({
        redirectUrl: 'http://127.0.0.1:1/callback',
        show: () => abort.abort(),
        answer: new Promise(() => undefined),
        close: () => undefined,
      }),
    };
    const hub = await hubFor(url, { signIn: port });
    expect(await hub.signIn('test', abort.signal)).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
  });
});

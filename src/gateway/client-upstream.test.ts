import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { countingIds, type GatewayError } from '../core/index.ts';
import type { UpstreamOptions } from '../dialects/dialect.ts';
import { openaiChatUpstream } from '../dialects/openai-chat/index.ts';
import { openClientUpstream } from './client-upstream.ts';

const secrets: string[] = [];
function open(baseUrl: string, isAllowed = true) {
  return openClientUpstream(
    { baseUrl, apiKey: 'sk-theirs-alone' },
    { isAllowed, kind: openaiChatUpstream, onSecret: (secret) => secrets.push(secret), newId: countingIds() },
  );
}

function refusalOf(act: () => unknown): GatewayError {
  try {
    act();
  } catch (thrown) {
    return thrown as GatewayError; // openClientUpstream throws nothing else
  }
  throw new Error('Nothing was refused.');
}

describe('openClientUpstream', () => {
  it('is closed unless the operator opened it, and says so', () => {
    const error = refusalOf(() => open('https://models.example/v1', false));
    expect(error.code).toBe('permission-denied');
    expect(error.message).toContain('agent.clientUpstreams: true');
  });

  it.each([
    'http://127.0.0.1:8000/v1',
    'http://localhost:8000',
    'http://api.localhost/',
    'http://[::1]/v1',
    'http://[::ffff:10.0.0.1]/',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest',
    'http://0x7f000001/',
    'http://2130706433/',
    'http://192.168.0.1/',
    'http://127.1/',
    'http://0/',
    'http://0177.0.0.1/',
    'http://127.0.0.1./v1',
    'http://[::]/',
    'http://[::ffff:7f00:1]/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://LOCALHOST:8000',
    'http://１２７.0.0.1/',
    'http://100.64.0.1/',
    'http://168.63.129.16/',
  ])('refuses the private address %s', (address) => {
    const error = refusalOf(() => open(address));
    expect(error.code).toBe('invalid-request');
    expect(error.message).toMatch(/private network/);
  });

  it.each(['ftp://models.example/', 'models.example', '', 'https://user:pass@models.example/'])(
    'refuses %j, which is no address of a model server',
    (address) => {
      expect(refusalOf(() => open(address)).code).toBe('invalid-request');
    },
  );

  it.each([
    ['a line of its own', 'sk-theirs-and-more\r\nx-admin: 1'],
    ['a letter that no header carries', 'sk-theirs-and-more-ключ'],
    ['no end', 'sk-theirs-and-more'.repeat(1_000)],
  ])('refuses a key with %s, without repeating it', (_what, apiKey) => {
    const options = { isAllowed: true, kind: openaiChatUpstream, onSecret: () => {}, newId: countingIds() };
    const error = refusalOf(() =>
      openClientUpstream({ baseUrl: 'https://models.example/v1', apiKey }, options),
    );
    expect(error.code).toBe('invalid-request');
    expect(error.message).not.toContain('sk-theirs');
  });

  it('takes no short word for a secret that must vanish from every log line', async () => {
    const learnt: string[] = [];
    for (const apiKey of ['error', 'sk-theirs-and-more']) {
      const onSecret = (secret: string) => learnt.push(secret);
      const options = { isAllowed: true, kind: openaiChatUpstream, onSecret, newId: countingIds() };
      await openClientUpstream({ baseUrl: 'https://models.example/v1', apiKey }, options).close();
    }
    expect(learnt).toEqual(['sk-theirs-and-more']);
  });

  it('refuses a name that turns out to be this machine, before a byte is sent', async () => {
    let connections = 0;
    const server = createServer().on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // of a server that listens on a port
    const upstream = open(`http://localhost.:${port}/v1`);
    const listed = upstream.listModels(new AbortController().signal);
    await expect(listed).rejects.toMatchObject({ code: 'upstream-unavailable' });
    await upstream.close();
    server.close();
    expect(connections).toBe(0);
  });

  it('follows no redirect: it would lead the key, or us, somewhere else', async () => {
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(307, { location: '/secret' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // of a server that listens on a port
    let options: UpstreamOptions | undefined;
    const kind = {
      ...openaiChatUpstream,
      create(given: UpstreamOptions) {
        // As the address were public: nothing else is changed.
        options = { ...given, baseUrl: `http://127.0.0.1:${port}/v1`, mayConnect: undefined };
        return openaiChatUpstream.create(options);
      },
    };
    const upstream = openClientUpstream(
      { baseUrl: 'https://models.example/v1', apiKey: 'sk-theirs-alone' },
      { isAllowed: true, kind, onSecret: () => {}, newId: countingIds() },
    );
    await expect(upstream.listModels(new AbortController().signal)).rejects.toMatchObject({
      code: 'upstream-rejected',
    });
    await upstream.close();
    server.close();
    expect(asked).toEqual(['/v1/models']);
  });

  it('refuses a name that leads to a private address at the moment of connecting', async () => {
    let lookedUp: boolean | undefined;
    const kind = {
      ...openaiChatUpstream,
      create(options: UpstreamOptions) {
        lookedUp = options.mayConnect?.('10.0.0.8');
        return openaiChatUpstream.create(options);
      },
    };
    const upstream = openClientUpstream(
      { baseUrl: 'https://models.example/v1', apiKey: 'sk-theirs' },
      { isAllowed: true, kind, onSecret: () => {}, newId: countingIds() },
    );
    await upstream.close();
    expect(lookedUp).toBe(false);
  });

  it('finds a deployment of Azure by its address and gives the key in its header', async () => {
    const seen: UpstreamOptions[] = [];
    const kind = {
      ...openaiChatUpstream,
      create(options: UpstreamOptions) {
        seen.push(options);
        return openaiChatUpstream.create(options);
      },
    };
    const upstream = openClientUpstream(
      { baseUrl: 'https://mine.openai.azure.example/', apiKey: 'azure-key', azureDeployment: 'gpt five' },
      { isAllowed: true, kind, onSecret: () => {}, newId: countingIds() },
    );
    await upstream.close();
    expect(seen[0]?.baseUrl).toMatch(
      /^https:\/\/mine\.openai\.azure\.example\/openai\/deployments\/gpt%20five\?api-version=/,
    );
    expect(seen[0]?.headers).toEqual({ 'api-key': 'azure-key' });
    expect(seen[0]?.apiKey).toBeUndefined();
  });

  it('tells the redactor the key before it is used', async () => {
    const upstream = open('https://models.example/v1');
    await upstream.close();
    expect(secrets).toContain('sk-theirs-alone');
  });
});

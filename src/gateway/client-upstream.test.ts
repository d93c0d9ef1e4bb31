import { describe, expect, it } from 'vitest';
import { countingIds, type GatewayError } from '../core/index.ts';
import type { UpstreamOptions } from '../dialects/dialect.ts';
import { openaiChatUpstream } from '../dialects/openai-chat/index.ts';
import { openClientUpstream } from './client-upstream.ts';

const secrets: string[] = [];
function open(baseUrl: string, isAllowed = true) {
  return openClientUpstream(
    { baseUrl, apiKey: 'sk-theirs' },
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
    expect(secrets).toContain('sk-theirs');
  });
});

import { describe, expect, it } from 'vitest';
import {
  GetServerConfigRequestSchema,
  GetServerConfigResponseSchema,
  Http2Config,
} from '../../../gen/aiserver/v1/server_config_pb.ts';
import { createServicesWorld, type ServicesWorld } from './fixtures/call-service.ts';

async function configOf(world: ServicesWorld = {}, service = 'ServerConfigService') {
  const path = `/aiserver.v1.${service}/GetServerConfig`;
  return await createServicesWorld(world).call(
    path,
    GetServerConfigRequestSchema,
    GetServerConfigResponseSchema,
  );
}

describe('the server configuration', () => {
  it.each(['ServerConfigService', 'AiService'])('of %s points every address back to us', async (service) => {
    const config = await configOf({ context: { origin: 'https://gateway.example.org' } }, service);
    expect(config.agentUrlConfig).toMatchObject({
      agentUrl: 'https://gateway.example.org',
      agentnUrl: 'https://gateway.example.org',
    });
    expect(config.configVersion).not.toBe('');
    expect(config.agentTelemetryConfig?.enabled).toBe(false);
  });

  it('has both path keys, the user’s by owner', async () => {
    const [one, two] = [
      await configOf({ context: { owner: 'a' } }),
      await configOf({ context: { owner: 'b' } }),
    ];
    const keyOf = (config: typeof one) => config.indexingConfig?.defaultUserPathEncryptionKey;
    expect(keyOf(one)).toMatch(/^[\w+/]{43}=$/);
    expect(keyOf(one)).not.toBe(keyOf(two));
    expect(one.indexingConfig?.defaultTeamPathEncryptionKey).toBe(
      two.indexingConfig?.defaultTeamPathEncryptionKey,
    );
  });

  it.each([
    ['cleartext', {}, Http2Config.FORCE_ALL_ENABLED],
    ['TLS', { context: { origin: 'https://x' } }, Http2Config.UNSPECIFIED],
    ['cleartext behind a proxy', { context: { headers: { via: '1.1 proxy' } } }, Http2Config.UNSPECIFIED],
    ['anything when it is off', { http2: 'off' }, Http2Config.FORCE_ALL_DISABLED],
  ] as const)('chooses the transport for %s', async (_what, world, expected) => {
    expect((await configOf(world)).http2Config).toBe(expected);
  });
});

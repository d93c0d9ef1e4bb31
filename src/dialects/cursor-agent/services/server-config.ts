// aiserver.v1.ServerConfigService/GetServerConfig: what every official client asks first. It points all of them back here.
// Seen: the official SDK reads `http2_config` alone. From public servers: the CLI's file tools want both path keys.
import { createHash } from 'node:crypto';
import {
  GetServerConfigRequestSchema,
  GetServerConfigResponseSchema,
  Http2Config,
} from '../../../gen/aiserver/v1/server_config_pb.ts';
import { defineUnary, type NativeContext, type UnaryMethod } from '../../native-front.ts';
import type { AgentServicesOptions } from './services-options.ts';

const CONFIG_VERSION = 'crosspoint-1';

export function createServerConfigMethods({ http2 = 'auto' }: AgentServicesOptions): UnaryMethod[] {
  return ['/aiserver.v1.ServerConfigService/GetServerConfig', '/aiserver.v1.AiService/GetServerConfig'].map(
    (path) =>
      defineUnary({
        path,
        input: GetServerConfigRequestSchema,
        output: GetServerConfigResponseSchema,
        handle: async (_request, context) => ({
          configVersion: CONFIG_VERSION,
          http2Config: chooseHttp2(http2, context),
          agentUrlConfig: { agentUrl: context.origin, agentnUrl: context.origin },
          indexingConfig: {
            // Nothing is indexed here; the keys only keep clients from failing over their absence.
            defaultUserPathEncryptionKey: pathKey(`user ${context.owner}`),
            defaultTeamPathEncryptionKey: pathKey('team'),
          },
          agentTelemetryConfig: { enabled: false },
        }),
      }),
  );
}

/**
 * Over TLS the handshake finds out by itself. In cleartext a client uses HTTP/2 only when it is told to, and it must not
 * be told so through a proxy, which would rarely understand it.
 */
function chooseHttp2(http2: 'auto' | 'off', { origin, headers }: NativeContext): Http2Config {
  if (http2 === 'off') return Http2Config.FORCE_ALL_DISABLED;
  const isProxied = ['via', 'forwarded', 'x-forwarded-for', 'x-forwarded-proto', 'x-real-ip'].some(
    (name) => headers[name] !== undefined,
  );
  if (origin.startsWith('https:') || isProxied) return Http2Config.UNSPECIFIED;
  return Http2Config.FORCE_ALL_ENABLED;
}

function pathKey(name: string): string {
  return createHash('sha256').update(`crosspoint path key ${name}`).digest('base64');
}

// The calls beside a run that clients of the agent backend make: configuration, models, keys and tokens.
import { create, toBinary } from '@bufbuild/protobuf';
import { GetUsableModelsResponseSchema } from '../../../src/gen/agent/v1/agent_service_pb.ts';
import { AvailableModelsResponseSchema } from '../../../src/gen/aiserver/v1/models_pb.ts';
import { GetServerConfigResponseSchema, Http2Config } from '../../../src/gen/aiserver/v1/server_config_pb.ts';
import type { SeenCall } from './seen-call.ts';

export interface UnaryOptions {
  readonly models?: readonly string[] | undefined;
  readonly http2Config?: Http2Config | undefined;
  readonly agentUrls?: { readonly agentUrl: string; readonly agentnUrl: string } | undefined;
  /** API keys that are exchanged for tokens; any key without this list. */
  readonly apiKeys?: readonly string[] | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Uint8Array | string;
}

const proto = (body: Uint8Array): Reply => ({
  status: 200,
  headers: { 'content-type': 'application/proto' },
  body,
});
export const json = (status: number, value: unknown): Reply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

export class UnaryAnswers {
  readonly #options: UnaryOptions;
  #tokens = 0;

  constructor(options: UnaryOptions) {
    this.#options = options;
  }

  answer(call: SeenCall): Reply {
    const models = this.#options.models ?? ['example-model'];
    switch (call.path) {
      case '/aiserver.v1.ServerConfigService/GetServerConfig':
      case '/aiserver.v1.AiService/GetServerConfig':
        return proto(this.#serverConfig());
      case '/agent.v1.AgentService/GetUsableModels':
      case '/aiserver.v1.AiService/GetUsableModels':
        return proto(
          toBinary(
            GetUsableModelsResponseSchema,
            create(GetUsableModelsResponseSchema, {
              models: models.map((modelId) => ({ modelId, displayModelId: modelId, displayName: modelId })),
            }),
          ),
        );
      case '/aiserver.v1.AiService/AvailableModels':
        return proto(
          toBinary(
            AvailableModelsResponseSchema,
            create(AvailableModelsResponseSchema, {
              modelNames: [...models],
              models: models.map((name) => ({
                name,
                defaultOn: true,
                supportsAgent: true,
                contextTokenLimit: 200_000,
                clientDisplayName: name,
                serverModelName: name,
              })),
            }),
          ),
        );
      case '/auth/exchange_user_api_key':
      case '/auth/refresh':
      case '/oauth/token':
        return this.#tokenPair(call);
      default:
        return json(404, { code: 'not_found', message: `No such call: ${call.path}` });
    }
  }

  #serverConfig(): Uint8Array {
    const config = create(GetServerConfigResponseSchema, {
      configVersion: 'simulated',
      http2Config: this.#options.http2Config ?? Http2Config.UNSPECIFIED,
      ...(this.#options.agentUrls ? { agentUrlConfig: this.#options.agentUrls } : {}),
    });
    return toBinary(GetServerConfigResponseSchema, config);
  }

  #tokenPair(call: SeenCall): Reply {
    const bearer = String(call.headers.authorization ?? '').replace(/^Bearer\s*/, '');
    const isKnown = bearer.startsWith('refresh-') || (this.#options.apiKeys?.includes(bearer) ?? true);
    if (call.path !== '/oauth/token' && !isKnown) {
      return json(401, { code: 'unauthenticated', message: 'Invalid user API key' });
    }
    const number = ++this.#tokens;
    return json(200, { accessToken: `token-${number}`, refreshToken: `refresh-${number}` });
  }
}

import { GatewayError } from '../core/index.ts';
import { matchesModel } from '../gateway/gateway.ts';
import type { ListedModel, ModelRouter } from '../gateway/model-router.ts';
import type { Identity } from './auth.ts';
import type { Exchange } from './exchange.ts';
import { encodeModel, encodeModelList } from './model-list.ts';
import type { Route } from './router.ts';

export interface ModelRoutesOptions {
  readonly router: ModelRouter;
  readonly authenticate: (exchange: Exchange) => Promise<Identity>;
}

/** The model list every client asks for. A key sees what it may use. */
export function createModelRoutes(options: ModelRoutesOptions): readonly Route[] {
  const list = async (exchange: Exchange): Promise<readonly ListedModel[]> => {
    const { allowedModels } = await options.authenticate(exchange);
    const models = await options.router.list();
    if (!allowedModels) return models;
    return models.filter(({ id }) => allowedModels.some((pattern) => matchesModel(id, pattern)));
  };
  return [
    // Cursor verifies a key by listing models below the base URL its user typed, with or without /v1.
    ...['/v1/models', '/cursor/models', '/cursor/v1/models'].map((path) => ({
      method: 'GET',
      path,
      handle: async (exchange: Exchange) => {
        const models = await list(exchange);
        exchange.sendJson(200, encodeModelList(models, await findDefault(options.router, models)));
      },
    })),
    {
      method: 'GET',
      // A name holds slashes; some clients escape them, people at a shell do not.
      path: '/v1/models/*',
      async handle(exchange, params) {
        const wanted = decodeName(params['*'] ?? '');
        const model = (await list(exchange)).find(({ id }) => id === wanted);
        if (!model) {
          throw new GatewayError(
            'not-found',
            `There is no model ${JSON.stringify(wanted)}. GET /v1/models lists what there is.`,
            {
              detail: { param: 'model', reason: 'model_not_found' },
            },
          );
        }
        exchange.sendJson(200, encodeModel(model));
      },
    },
  ];
}

/** Which of the listed models is meant when nobody names one; none when the default is not among them. */
async function findDefault(router: ModelRouter, models: readonly ListedModel[]): Promise<string | undefined> {
  const route = await router.resolve('').catch(() => undefined);
  if (!route) return undefined;
  const [{ upstream, model }] = route.targets;
  const names = [route.name, `${upstream.name}/${model}`];
  return names.find((name) => models.some(({ id }) => id === name));
}

function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

import type { NativeFront, NativeJsonRoute } from '../../dialects/native-front.ts';
import { encodeError } from '../../wire/connect-end-stream.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { Route } from '../router.ts';
import { publicError } from '../turn-handler.ts';
import { httpStatusOfConnect } from './connect-status.ts';
import { createNativeContext } from './native-context.ts';
import type { NativeRoutesOptions } from './native-options.ts';

const MAX_JSON_BYTES = 1024 * 1024;

/** A plain JSON endpoint of a native front. */
export function createJsonRoute(
  options: NativeRoutesOptions,
  front: NativeFront,
  route: NativeJsonRoute,
): Route {
  return {
    method: route.method,
    path: route.path,
    doc: { summary: route.summary, tag: front.dialect, auth: 'key' },
    async handle(exchange) {
      try {
        const identity = await options.authenticate(exchange);
        const bytes = await exchange.readBody(MAX_JSON_BYTES);
        const body = bytes.length === 0 ? undefined : parseJsonBody(bytes);
        const context = createNativeContext(options, { exchange, identity, dialect: front.dialect });
        const reply = await route.handle({ query: exchange.query, body }, context);
        exchange.sendJson(reply.status, reply.body);
      } catch (thrown) {
        const failure = front.encodeError(publicError(thrown, options));
        exchange.sendJson(httpStatusOfConnect(failure.code), encodeError(failure));
      }
    },
  };
}

// One tool call in the client's own envelope, with its life streamed, and the approvals it may wait for. For people who
// build a client of their own. Admin token only: whoever holds it may run things on this machine.
import { z } from 'zod';
import { GatewayError, type JsonValue } from '../../core/index.ts';
import { decodeBuiltinCall, encodeToolResult, type LifecycleEvent } from '../../tools/envelope.ts';
import { parseJsonBody } from '../../wire/json.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../router.ts';
import type { ToolService } from '../tool-service.ts';

const MAX_CALL_BYTES = 16 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024;

const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('once') }),
  z.strictObject({ type: z.literal('always') }),
  z.strictObject({ type: z.literal('deny'), feedback: z.string().max(10_000).optional() }),
]);

export function createToolRoutes(service: () => Promise<ToolService>): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/api/tools/call',
      doc: {
        summary:
          'Run one tool call in its envelope; server-sent events tell its life and end with the result',
        tag: 'tools',
        auth: 'admin',
        contentType: 'text/event-stream',
      },
      handle: async (exchange) => callTool(exchange, await service()),
    },
    {
      method: 'GET',
      path: '/api/approvals',
      doc: { summary: 'Calls that wait for a person', tag: 'tools', auth: 'admin' },
      async handle(exchange) {
        const { approvals } = await service();
        exchange.sendJson(200, { approvals: toJson(await approvals.list('pending')) });
      },
    },
    {
      method: 'POST',
      path: '/api/approvals/:id',
      doc: { summary: 'Answer one: once, always or deny', tag: 'tools', auth: 'admin' },
      async handle(exchange, { id = '' }) {
        const { approvals } = await service();
        const parsed = answerSchema.safeParse(parseJsonBody(await exchange.readBody(MAX_ANSWER_BYTES)));
        if (!parsed.success) {
          throw new GatewayError(
            'invalid-request',
            'The answer must be {"type": "once"}, {"type": "always"} or {"type": "deny", "feedback": "…"}.',
          );
        }
        const { data } = parsed;
        const isPlainDeny = data.type === 'deny' && data.feedback === undefined;
        // An absent feedback and an undefined one are the same answer.
        const answer = isPlainDeny
          ? { type: 'deny' as const }
          : (data as Parameters<typeof approvals.answer>[1]);
        exchange.sendJson(200, { approval: toJson(await approvals.answer(id, answer)) });
      },
    },
  ];
}

async function callTool(exchange: Exchange, { runtime }: ToolService): Promise<void> {
  const call = decodeBuiltinCall(parseJsonBody(await exchange.readBody(MAX_CALL_BYTES)));
  const stream = exchange.openStream(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
  });
  const tell = (event: object) => stream.write(encodeSse(JSON.stringify(event)));
  let toolNumber = 0;
  const unsubscribe = runtime.subscribe((event: LifecycleEvent) => {
    if (event.callId !== call.id) return;
    if (event.type === 'completed') toolNumber = event.toolNumber;
    else void tell(event);
  });
  try {
    const outcome = await runtime.call(call, { signal: exchange.signal });
    await tell(encodeToolResult(call.id, toolNumber, outcome));
  } finally {
    unsubscribe();
    stream.end();
  }
}

/** Plain data by nature. */
function toJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

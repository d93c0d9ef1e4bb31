// One tool call in the client's own envelope, with its life streamed, and the approvals it may wait for. For people who
// build a client of their own. Admin token only: whoever holds it may run things on this machine.
import { GatewayError, type JsonValue } from '../../core/index.ts';
import {
  decodeBuiltinCall,
  encodeToolResult,
  INSIDE,
  type LifecycleEvent,
  toolNumberOf,
} from '../../tools/envelope.ts';
import { parseJsonBody } from '../../wire/json.ts';
import { encodeSse } from '../../wire/sse.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../router.ts';
import type { ToolService } from '../tool-service.ts';
import { answerSchema, showMcpServer, showMcpTool, toAnswer, toolListSchema } from './tool-routes-schema.ts';

const MAX_CALL_BYTES = 16 * 1024 * 1024;
const MAX_ANSWER_BYTES = 64 * 1024;

/** Less than the patience of those who ask, so that they hear which server is slow. */
const LIST_TIMEOUT_MS = 8_000;

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
      path: '/api/tools',
      doc: {
        summary:
          'What is declared in the present mode, and the tools of MCP servers with the consent they have',
        tag: 'tools',
        auth: 'admin',
        response: toolListSchema,
      },
      handle: async (exchange) => exchange.sendJson(200, await listTools(exchange, await service())),
    },
    {
      method: 'GET',
      path: '/api/approvals',
      doc: { summary: 'Calls and questions that wait for a person', tag: 'tools', auth: 'admin' },
      async handle(exchange) {
        const { approvals } = await service();
        exchange.sendJson(200, { approvals: toJson(await approvals.list('pending')) });
      },
    },
    {
      method: 'POST',
      path: '/api/approvals/:id',
      doc: {
        summary: 'Answer one: once, always, deny, or reply with what its form asks for',
        tag: 'tools',
        auth: 'admin',
        request: answerSchema,
      },
      async handle(exchange, { id = '' }) {
        const { approvals } = await service();
        const parsed = answerSchema.safeParse(parseJsonBody(await exchange.readBody(MAX_ANSWER_BYTES)));
        if (!parsed.success) {
          throw new GatewayError(
            'invalid-request',
            'The answer must be {"type": "once"}, {"type": "always"}, {"type": "deny", "feedback": "…"} or, where a form is asked for, {"type": "reply", "content": {…}}.',
          );
        }
        const answered = await approvals.answer(id, toAnswer(parsed.data));
        exchange.sendJson(200, { approval: toJson(answered) });
      },
    },
  ];
}

async function listTools(exchange: Exchange, { runtime, mcp, problems }: ToolService) {
  // On demand, as the service itself: a gateway that runs no tools need not load an MCP client.
  const { listMcpTools } = await import('../tool-service/list-mcp-tools.ts');
  const listed = await listMcpTools(mcp, LIST_TIMEOUT_MS, exchange.signal);
  return toJson({
    mode: runtime.mode,
    declaration: runtime.declare(),
    mcp: {
      servers: mcp.servers().map(showMcpServer),
      tools: listed.tools.map(showMcpTool),
      problems: [...problems, ...listed.problems],
    },
  });
}

/** Ids of calls are only unique in their conversation; a client that counts them afresh names the conversation. */
const SESSION_HEADER = 'x-crosspoint-session';

async function callTool(exchange: Exchange, { runtime }: ToolService): Promise<void> {
  const call = decodeBuiltinCall(parseJsonBody(await exchange.readBody(MAX_CALL_BYTES)));
  const session = exchange.headers[SESSION_HEADER];
  const id = session ? `${session}/${call.id}` : call.id;
  const stream = exchange.openStream(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache',
  });
  const tell = (event: object) => stream.write(encodeSse(JSON.stringify(event)));
  let toolNumber = toolNumberOf(call);
  const unsubscribe = runtime.subscribe((event: LifecycleEvent) => {
    const isInside = event.callId.startsWith(`${id}${INSIDE}`); // an agent's that this call started
    if (event.callId !== id && !isInside) return;
    if (event.type === 'completed' && !isInside) toolNumber = event.toolNumber;
    else void tell({ ...event, callId: call.id + event.callId.slice(id.length) });
  });
  try {
    const outcome = await runtime.call({ ...call, id }, { signal: exchange.signal });
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

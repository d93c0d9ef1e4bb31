// Calls of the agent backend that this gateway does not know. They stay here: an empty answer lets a client that merely
// asks go on, the count shows what is missing, and nothing is forwarded to anybody.
import { GatewayError } from '../../core/index.ts';
import type { NativeFront } from '../../dialects/native-front.ts';
import { REAL_TIMERS } from '../../dialects/upstream-timers.ts';
import { ByteBudget } from '../byte-budget.ts';
import type { Exchange } from '../exchange.ts';
import { answerStream } from './answer-stream.ts';
import { answerUnary } from './answer-unary.ts';
import { callFormOf, framingOf } from './call-form.ts';
import { NATIVE_LIMITS, type NativeLimits, type NativeRoutesOptions } from './native-options.ts';

/** Services that official clients are known to call, whether we offer anything of them or not. */
export const KNOWN_SERVICES: readonly string[] = [
  'agent.v1.AgentService',
  'aiserver.v1.AiService',
  'aiserver.v1.AnalyticsService',
  'aiserver.v1.AuthService',
  'aiserver.v1.BackgroundComposerService',
  'aiserver.v1.BidiService',
  'aiserver.v1.ChatService',
  'aiserver.v1.CmdKService',
  'aiserver.v1.ConversationsService',
  'aiserver.v1.CppService',
  'aiserver.v1.DashboardService',
  'aiserver.v1.FastApplyService',
  'aiserver.v1.FileSyncService',
  'aiserver.v1.HealthService',
  'aiserver.v1.InferenceService',
  'aiserver.v1.MCPRegistryService',
  'aiserver.v1.MetricsService',
  'aiserver.v1.NetworkService',
  'aiserver.v1.PerformanceEventService',
  'aiserver.v1.ProfilingService',
  'aiserver.v1.RepositoryService',
  'aiserver.v1.ServerConfigService',
  'aiserver.v1.ToolCallEventService',
  'aiserver.v1.UploadService',
];

/** Which front speaks for a service; the first one for services that none of them names. */
export function assignServices(fronts: readonly NativeFront[]): ReadonlyMap<string, NativeFront> {
  const [main] = fronts;
  const services = new Map<string, NativeFront>();
  if (main) for (const name of KNOWN_SERVICES) services.set(name, main);
  for (const front of fronts) for (const name of front.services) services.set(name, front);
  return services;
}

/**
 * For services that nobody listed, and that therefore have no route: ask it before the router. True when the call was one
 * of them; it has been answered then.
 */
export function createUnknownServiceHandler(
  fronts: readonly NativeFront[],
  options: NativeRoutesOptions,
): (exchange: Exchange) => Promise<boolean> {
  const [main] = fronts;
  const listed = assignServices(fronts);
  const bodies = createBodyBudget({ ...NATIVE_LIMITS, ...options.limits });
  return async (exchange) => {
    const service = /^\/((?:agent|aiserver)\.v1\.\w+)\/\w+$/.exec(exchange.path)?.[1];
    if (!main || service === undefined || listed.has(service) || exchange.method !== 'POST') return false;
    await answerUnknown(options, main, exchange, bodies);
    return true;
  };
}

export function createBodyBudget(limits: NativeLimits): ByteBudget {
  return new ByteBudget({ maxBytes: limits.maxBodyBytes, maxBytesOfOwner: limits.maxBodyBytesOfOwner });
}

export async function answerUnknown(
  options: NativeRoutesOptions,
  front: NativeFront,
  exchange: Exchange,
  bodies: ByteBudget,
): Promise<void> {
  // It becomes a label of a metric, where a key that slipped into the address would stay.
  const name = options.redact(exchange.path).slice(1, 200);
  const form = callFormOf(exchange.headers['content-type']);
  if (form === 'connect' || form === 'grpc-web') {
    await answerStream({
      exchange,
      framing: framingOf(form),
      front,
      options,
      timers: options.timers ?? REAL_TIMERS,
      method: { path: exchange.path, form: 'bidi', open: async () => {} },
      // An empty stream would be a success that never was.
      openClientHalf: async (context) => {
        context.onDrift(`METHOD ${name}`);
        const remedy = 'Streams are offered over HTTP/2, and in their SSE form with BidiAppend.';
        throw new GatewayError('unimplemented', `There is no stream ${name} here. ${remedy}`);
      },
    });
    return;
  }
  await answerUnary({
    exchange,
    front,
    options,
    bodies,
    maxBytes: { ...NATIVE_LIMITS, ...options.limits }.maxMessageBytes,
    async handle(_payload, answerForm, context) {
      context.onDrift(`METHOD ${name}`);
      return answerForm === 'json' ? Buffer.from('{}') : new Uint8Array();
    },
  });
}

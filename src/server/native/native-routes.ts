// The Connect calls of native clients on our server: every method of the fronts, BidiAppend for all of them, and an
// answer for calls that nobody here knows. Nothing is ever forwarded to anybody.
import type { DescMessage, Message } from '@bufbuild/protobuf';
import type { NativeContext, NativeFront, StreamMethod, UnaryMethod } from '../../dialects/native-front.ts';
import { REAL_TIMERS, type Timers } from '../../dialects/upstream-timers.ts';
import { BidiRequestIdSchema } from '../../gen/aiserver/v1/bidi_pb.ts';
import type { Admission } from '../auth.ts';
import type { ByteBudget } from '../byte-budget.ts';
import type { Exchange } from '../exchange.ts';
import type { Route, RouteDoc } from '../router.ts';
import { answerStream, type ClientHalf } from './answer-stream.ts';
import { answerUnary, refuseContentType } from './answer-unary.ts';
import { AppendHub } from './append-hub.ts';
import { checkRequestId, createBidiAppend } from './bidi-append.ts';
import { type CallForm, callFormOf, framingOf } from './call-form.ts';
import { createJsonRoute } from './json-route.ts';
import { NATIVE_LIMITS, type NativeLimits, type NativeRoutesOptions } from './native-options.ts';
import { readRequestFrames } from './request-frames.ts';
import { decodeMessage, encodeMessage, payloadOf } from './unary-messages.ts';
import { answerUnknown, assignServices, createBodyBudget } from './unknown-calls.ts';

/** Room for an id and its envelope. */
const MAX_OPENING_BYTES = 4 * 1024;
/** Room for hex, which doubles a message, and the fields beside it. */
const APPEND_BODY_FACTOR = 2.1;

/** Probes: clients send them before they have a key, and take a refusal for a broken network. They tell nothing. */
const OPEN_CALLS: ReadonlySet<string> = new Set([
  '/aiserver.v1.AiService/HealthCheck',
  '/aiserver.v1.AiService/ServerTime',
  '/aiserver.v1.HealthService/Unary',
  '/aiserver.v1.NetworkService/IsConnected',
]);

/** They are told nothing either: whoever has no key gets no room for more than a probe. */
const MAX_PROBE_BYTES = 64 * 1024;

/** Calls that ask a model: they count under a key's limits like any other request. */
const MODEL_CALLS: ReadonlySet<string> = new Set([
  '/agent.v1.AgentService/CreateTranscriptOverview',
  '/agent.v1.AgentService/NameAgent',
  '/aiserver.v1.ChatService/GetConversationSummary',
]);

/** More kinds of drift than this in one message tell nothing that these do not. */
const MAX_COUNTED_FIELDS = 20;

/** What every handler here needs. */
interface NativeServer {
  readonly options: NativeRoutesOptions;
  readonly limits: NativeLimits;
  readonly timers: Timers;
  readonly hub: AppendHub;
  readonly bodies: ByteBudget;
}

export function createNativeRoutes(fronts: readonly NativeFront[], options: NativeRoutesOptions): Route[] {
  const [main] = fronts;
  if (!main) return [];
  const limits = { ...NATIVE_LIMITS, ...options.limits };
  const timers = options.timers ?? REAL_TIMERS;
  const bodies = createBodyBudget(limits);
  const server = { options, limits, timers, bodies, hub: new AppendHub({ limits, timers }) };
  const append = createBidiAppend(server.hub);
  const appendBytes = Math.ceil(limits.maxMessageBytes * APPEND_BODY_FACTOR) + MAX_OPENING_BYTES;
  return [
    ...fronts.flatMap((front) => [
      ...front.unary.map((method) => unaryRoute(server, front, method)),
      ...front.streams.map((method) => streamRoute(server, front, method)),
      ...(front.json ?? []).map((route) => createJsonRoute(options, front, route)),
    ]),
    unaryRoute(server, main, append, appendBytes),
    ...[...assignServices(fronts)].map(
      ([name, front]): Route => ({
        method: 'POST',
        path: `/${name}/*`,
        doc: doc(`Calls of ${name} that are not known here`, front),
        handle: (exchange) => answerUnknown(options, front, exchange, bodies),
      }),
    ),
  ];
}

function unaryRoute(
  server: NativeServer,
  front: NativeFront,
  method: UnaryMethod,
  maxBodyBytes?: number,
): Route {
  const { limits, options } = server;
  const isOpen = OPEN_CALLS.has(method.path);
  return {
    method: 'POST',
    path: method.path,
    doc: doc(`${method.input.typeName} to ${method.output.typeName}`, front),
    handle: (exchange) =>
      answerUnary({
        exchange,
        front,
        options,
        admit: isOpen ? admitAnybody : MODEL_CALLS.has(method.path) ? options.admit : undefined,
        bodies: server.bodies,
        maxBytes: isOpen ? MAX_PROBE_BYTES : limits.maxMessageBytes,
        ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }),
        handle: (payload, form, context) => callUnary(method, payload, form, context),
      }),
  };
}

const admitAnybody = async (): Promise<Admission> => ({ identity: {}, release: () => {} });

async function callUnary(
  method: UnaryMethod,
  payload: Uint8Array,
  form: CallForm,
  context: NativeContext,
): Promise<Uint8Array> {
  const request = decodeMessage(method.input, form, payload);
  countUnknownFields(method.input, request, context);
  return encodeMessage(method.output, form, await method.handle(request, context));
}

/** A message of which no field is known has nothing that could drift. */
function countUnknownFields(schema: DescMessage, message: Message, context: NativeContext): void {
  if (schema.fields.length === 0) return;
  const numbers = new Set((message.$unknown ?? []).map(({ no }) => no));
  for (const no of [...numbers].slice(0, MAX_COUNTED_FIELDS))
    context.onDrift(`FIELD ${schema.typeName} ${no}`);
}

function streamRoute(server: NativeServer, front: NativeFront, method: StreamMethod): Route {
  return {
    method: 'POST',
    path: method.path,
    doc: doc(method.form === 'bidi' ? 'A stream both ways' : 'A stream whose other way is BidiAppend', front),
    async handle(exchange) {
      const form = callFormOf(exchange.headers['content-type']);
      if (form !== 'connect' && form !== 'grpc-web') {
        refuseContentType(exchange, server.options);
        return;
      }
      const framing = framingOf(form);
      const { options, timers, limits } = server;
      await answerStream({
        exchange,
        framing,
        front,
        method,
        options,
        timers,
        openClientHalf: async (context, onReplaced) =>
          method.form === 'bidi'
            ? { incoming: readRequestFrames(exchange, framing, { limits, timers }), isRepeated: false }
            : await openAppended(server, exchange, form, context, onReplaced),
      });
    },
  };
}

async function openAppended(
  { hub }: NativeServer,
  exchange: Exchange,
  form: 'connect' | 'grpc-web',
  context: NativeContext,
  onReplaced: () => void,
): Promise<ClientHalf> {
  const body = await exchange.readBody(MAX_OPENING_BYTES);
  const payload = await payloadOf(form, body, exchange, MAX_OPENING_BYTES);
  const { requestId } = decodeMessage(BidiRequestIdSchema, form, payload);
  return await hub.open(context.owner, checkRequestId(requestId), onReplaced, context.signal);
}

function doc(summary: string, front: NativeFront): RouteDoc {
  return { summary, tag: front.dialect, auth: 'key' };
}

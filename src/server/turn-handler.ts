// Runs one turn for one HTTP request: front in, gateway, front out. The same code serves every front.
import {
  type ErrorDetail,
  GatewayError,
  isJsonObject,
  isTerminal,
  omitUndefined,
  type TerminalEvent,
  type TurnEvent,
  TurnFold,
  type TurnRequest,
  type TurnResult,
} from '../core/index.ts';
import type { EncodeContext, Front, FrontRequest, FrontServices, KeptTurn } from '../dialects/dialect.ts';
import type { RunningTurn, TurnInput } from '../gateway/gateway.ts';
import type { Admission } from './auth.ts';
import type { Exchange, ResponseHeaders } from './exchange.ts';
import { createFrontServices, type ServicesOptions } from './front-services.ts';
import { toPublicError } from './http-error.ts';
import type { StreamWriter } from './stream-writer.ts';

export interface TurnHandlerOptions extends ServicesOptions {
  readonly front: Front;
  /** Checks the key and its limits; the admission is given back when the answer is done. */
  readonly admit: (exchange: Exchange) => Promise<Admission>;
  readonly maxRequestBytes: number;
  readonly maxResponseBytes: number;
  readonly keepAliveMs: number;
  readonly onStreamOpen: () => void;
  readonly onStreamClose: () => void;
  /** Takes secrets out of messages; an upstream's error may repeat the key it was sent. */
  readonly redact: (text: string) => string;
  /** Hears of errors nobody foresaw. */
  readonly onUnexpected: (thrown: unknown) => void;
}

export function createTurnHandler(options: TurnHandlerOptions): (exchange: Exchange) => Promise<void> {
  const { front } = options;
  return async (exchange) => {
    const turnId = options.newId('turn_');
    let admission: Admission | undefined;
    try {
      admission = await options.admit(exchange);
      const { identity } = admission;
      const body = await exchange.readBody(options.maxRequestBytes);
      const { method, path, query, headers, signal } = exchange;
      const services = createFrontServices(options, { front: front.dialect, identity, signal });
      const turn = await decodeTurn(front, { method, path, query, headers, body }, services);
      const { keyId, allowedModels } = identity;
      const input: TurnInput = { turnId, front: front.dialect, ...turn, keyId, allowedModels, signal };
      const work: TurnWork = { options, exchange, input, services };
      if (turn.request.stream) await streamTurn(work);
      else await answerTurn(work);
    } catch (thrown) {
      sendError(front, exchange, turnId, publicError(thrown, options));
    } finally {
      admission?.release();
    }
  };
}

/** One turn on its way from request to answer. */
interface TurnWork {
  readonly options: TurnHandlerOptions;
  readonly exchange: Exchange;
  readonly input: TurnInput;
  readonly services: FrontServices;
}

async function decodeTurn(front: Front, received: FrontRequest, services: FrontServices): Promise<KeptTurn> {
  const prepared = await front.prepare?.(received, services);
  const { body } = prepared?.request ?? received;
  const request = front.decodeRequest(prepared?.request ?? received);
  return { request: prepared?.complete?.(request) ?? request, body };
}

function encodeContext({ input, options }: TurnWork): EncodeContext {
  const { turnId, request } = input;
  return { turnId, request, model: request.model, nowMs: options.nowMs(), newId: options.newId };
}

export function sendError(
  front: Front,
  exchange: Exchange,
  turnId: string | undefined,
  error: GatewayError,
  overrides: { readonly status?: number; readonly headers?: ResponseHeaders } = {},
): void {
  const reply = front.encodeError(error);
  const turn: ResponseHeaders = turnId === undefined ? {} : { 'x-crosspoint-turn': turnId };
  const headers = { ...reply.headers, ...turn, ...overrides.headers };
  exchange.sendJson(overrides.status ?? reply.status, reply.body, headers);
}

/** What the client may see of a failure: no secrets, and nothing of the inside of one nobody foresaw. */
export function publicError(
  thrown: unknown,
  { redact, onUnexpected }: Pick<TurnHandlerOptions, 'redact' | 'onUnexpected'>,
): GatewayError {
  if (!(thrown instanceof GatewayError)) onUnexpected(thrown);
  const { code, message, retryable, retryAfterMs, detail } = toPublicError(thrown);
  const options = omitUndefined({ retryable, retryAfterMs, detail: detail && redactDetail(detail, redact) });
  return new GatewayError(code, redact(message), options);
}

function redactDetail(detail: ErrorDetail, redact: (text: string) => string): ErrorDetail {
  const { param, reason } = detail;
  return {
    ...detail,
    ...(param === undefined ? {} : { param: redact(param) }),
    ...(reason === undefined ? {} : { reason: redact(reason) }),
  };
}

async function streamTurn(work: TurnWork): Promise<void> {
  const { options, exchange, input, services } = work;
  const { front } = options;
  const reply = new StreamReply(options, exchange, input.turnId);
  const encoder = front.createEncoder(encodeContext(work));
  try {
    const turn = await options.gateway.runTurn(input);
    let isRaw: boolean | undefined;
    for await (const batch of turn.batches) {
      isRaw ??= batch.raw !== undefined;
      const events = withPublicErrors(batch.events, options);
      const terminal = terminalOf(events);
      const frames = isRaw ? (batch.raw ?? '') : encoder.encode(events);
      if (terminal?.type === 'turn-end' && front.keepAnswer) {
        const body = encoder.finishedBody?.(terminal);
        if (body) await front.keepAnswer(body, input, services);
      }
      await reply.write(frames, turn.upstream);
      if (isRaw && terminal) await reply.write(encoder.encodeRawEnding(terminal), turn.upstream);
      if (reply.isClosed) break;
    }
  } catch (thrown) {
    const error = publicError(thrown, options);
    // A keep-alive may have opened the answer already: then the error travels inside the stream.
    if (!reply.isOpen) throw error;
    await reply.write(encoder.encode([{ type: 'turn-error', error }]));
  } finally {
    reply.end();
  }
}

function withPublicErrors(events: readonly TurnEvent[], options: TurnHandlerOptions): readonly TurnEvent[] {
  const last = events.at(-1);
  if (last?.type !== 'turn-error') return events;
  return [...events.slice(0, -1), { ...last, error: publicError(last.error, options) }];
}

function terminalOf(events: readonly TurnEvent[]): TerminalEvent | undefined {
  const last = events.at(-1);
  return last && isTerminal(last) ? last : undefined;
}

/** Opens the answer with its first byte and fills long silences with what the dialect ignores. */
class StreamReply {
  readonly #options: TurnHandlerOptions;
  readonly #exchange: Exchange;
  readonly #turnId: string;
  readonly #timer: NodeJS.Timeout;
  #writer: StreamWriter | undefined;

  constructor(options: TurnHandlerOptions, exchange: Exchange, turnId: string) {
    this.#options = options;
    this.#exchange = exchange;
    this.#turnId = turnId;
    this.#timer = setTimeout(() => this.#keepAlive(), options.keepAliveMs);
  }

  get isOpen(): boolean {
    return this.#writer !== undefined;
  }

  get isClosed(): boolean {
    return this.#exchange.signal.aborted || (this.#writer?.isClosed ?? false);
  }

  async write(frames: string | Uint8Array, upstream?: string): Promise<void> {
    if (frames.length === 0) return;
    this.#timer.refresh();
    await this.#open(upstream).write(frames);
  }

  end(): void {
    clearTimeout(this.#timer);
    if (!this.#writer) return;
    this.#writer.end();
    this.#options.onStreamClose();
  }

  #open(upstream?: string): StreamWriter {
    if (this.#writer) return this.#writer;
    this.#options.onStreamOpen();
    this.#writer = this.#exchange.openStream(200, {
      'content-type': this.#options.front.streamContentType,
      'cache-control': 'no-cache',
      'x-accel-buffering': 'no', // nginx would hold the stream back
      'x-crosspoint-turn': this.#turnId,
      ...(upstream === undefined ? {} : { 'x-crosspoint-upstream': upstream }),
    });
    return this.#writer;
  }

  #keepAlive(): void {
    this.#timer.refresh();
    if (this.isClosed) return;
    void this.#open().write(this.#options.front.keepAlive);
  }
}

async function answerTurn(work: TurnWork): Promise<void> {
  const { options, exchange, input, services } = work;
  const { front } = options;
  const turn = await options.gateway.runTurn(input);
  const headers = { 'x-crosspoint-turn': input.turnId, 'x-crosspoint-upstream': turn.upstream };
  const { result, raw } = await collect(turn, input.request, options.maxResponseBytes);
  if (result.error) throw result.error;
  const encoded = raw ? undefined : front.encodeResult(result, encodeContext(work));
  if (front.keepAnswer) {
    const body: unknown = raw ? JSON.parse(Buffer.from(raw).toString('utf8')) : encoded;
    if (isJsonObject(body)) await front.keepAnswer(body, input, services);
  }
  if (raw) exchange.sendBytes(200, raw, { 'content-type': 'application/json', ...headers });
  else exchange.sendJson(200, encoded ?? null, headers);
}

async function collect(
  turn: RunningTurn,
  request: TurnRequest,
  maxBytes: number,
): Promise<{ result: TurnResult; raw: Uint8Array | undefined }> {
  const fold = new TurnFold();
  const raw: Uint8Array[] = [];
  let size = 0;
  for await (const batch of turn.batches) {
    if (batch.raw) raw.push(batch.raw);
    for (const event of batch.events) {
      fold.add(event);
      size += 'text' in event && event.text !== undefined ? event.text.length : 0;
    }
    if (size > maxBytes) {
      throw new GatewayError(
        'too-large',
        `The answer of ${request.model} grew past ${maxBytes} bytes; ask for it as a stream.`,
      );
    }
  }
  return { result: fold.result(), raw: raw.length > 0 ? Buffer.concat(raw) : undefined };
}

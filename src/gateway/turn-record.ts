import {
  estimatedUsage,
  type FinishReason,
  type GatewayError,
  omitUndefined,
  type TurnEvent,
  TurnGrammar,
  type Usage,
} from '../core/index.ts';
import type { EventBatch } from '../dialects/dialect.ts';
import type { TurnSummary } from '../store/ports.ts';
import type { ModelTarget } from './model-router.ts';

export interface TurnHead {
  readonly turnId: string;
  readonly front: string;
  readonly model: string;
  readonly stream: boolean;
  readonly keyId?: string | undefined;
  readonly session?: string | undefined;
  /** Size of the request, for the estimate when nobody counts tokens. */
  readonly requestCharacters: number;
}

/** What is known about one turn while it runs. It counts and never keeps content: memory stays flat on any stream. */
export class TurnRecord {
  readonly head: TurnHead;
  readonly startedAtMs: number;
  readonly #grammar = new TurnGrammar();
  readonly #nowMs: () => number;
  readonly #onProblem: (problem: string) => void;
  readonly #onDrift: (dialect: string, kind: string) => void;
  #target: ModelTarget | undefined;
  #attempts = 0;
  #passThrough = false;
  #firstByteAtMs: number | undefined;
  #usage: Usage | undefined;
  #outputCharacters = 0;
  #toolCalls = 0;
  #finishReason: FinishReason | undefined;
  #error: GatewayError | undefined;
  #isEnded = false;

  constructor(
    head: TurnHead,
    nowMs: () => number,
    hooks: { onProblem(problem: string): void; onDrift(dialect: string, kind: string): void },
  ) {
    this.head = head;
    this.#nowMs = nowMs;
    this.startedAtMs = nowMs();
    this.#onProblem = hooks.onProblem;
    this.#onDrift = hooks.onDrift;
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  get error(): GatewayError | undefined {
    return this.#error;
  }

  opened(target: ModelTarget, attempts: number, passThrough: boolean): void {
    this.#target = target;
    this.#attempts = attempts;
    this.#passThrough = passThrough;
  }

  attempted(target: ModelTarget): void {
    this.#target = target;
    this.#attempts++;
  }

  observe(batch: EventBatch): void {
    this.#firstByteAtMs ??= this.#nowMs();
    for (const event of batch.events) {
      const problem = this.#grammar.check(event);
      if (problem) this.#onProblem(problem);
      this.#count(event);
    }
  }

  /** Ends for a turn whose upstream broke its contract: open spans close, then the error. */
  failureEvents(error: GatewayError): TurnEvent[] {
    return [...this.#grammar.closingEvents(), { type: 'turn-error', error }];
  }

  failed(error: GatewayError): void {
    this.#error ??= error;
    this.#isEnded = true;
  }

  summary(): TurnSummary {
    const { requestCharacters, ...head } = this.head;
    const endedAtMs = this.#nowMs();
    const errorCode = this.#error?.code ?? (this.#isEnded ? undefined : ('cancelled' as const));
    const firstByteMs =
      this.#firstByteAtMs === undefined ? undefined : this.#firstByteAtMs - this.startedAtMs;
    const counted =
      this.#usage ??
      (this.#firstByteAtMs === undefined
        ? undefined
        : estimatedUsage(requestCharacters, this.#outputCharacters));
    return omitUndefined({
      ...head,
      startedAtMs: this.startedAtMs,
      endedAtMs,
      upstream: this.#target?.upstream.name,
      upstreamModel: this.#target?.model,
      outcome:
        errorCode === undefined
          ? ('ok' as const)
          : errorCode === 'cancelled'
            ? ('cancelled' as const)
            : ('error' as const),
      errorCode,
      finishReason: this.#finishReason,
      usage: counted,
      firstByteMs,
      durationMs: endedAtMs - this.startedAtMs,
      attempts: this.#attempts,
      toolCalls: this.#toolCalls,
      passThrough: this.#passThrough,
    });
  }

  #count(event: TurnEvent): void {
    switch (event.type) {
      case 'text-delta':
      case 'reasoning-delta':
      case 'tool-input-delta':
        this.#outputCharacters += event.text.length;
        return;
      case 'tool-call':
        this.#toolCalls++;
        return;
      case 'usage':
        this.#usage = event.usage;
        return;
      case 'opaque':
        this.#onDrift(event.dialect, 'frame');
        return;
      case 'turn-end':
        this.#isEnded = true;
        this.#finishReason = event.reason;
        this.#usage = event.usage ?? this.#usage;
        return;
      case 'turn-error':
        this.#usage = event.usage ?? this.#usage;
        this.failed(event.error);
        return;
      default:
        return;
    }
  }
}

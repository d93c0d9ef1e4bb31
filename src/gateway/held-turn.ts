import {
  GatewayError,
  isTerminal,
  type JsonObject,
  type ToolCall,
  type ToolResultPart,
  type TurnEvent,
  TurnGrammar,
  type TurnStart,
} from '../core/index.ts';
import type { EventBatch } from '../dialects/dialect.ts';
import { TurnSegment } from './turn-segment.ts';

export interface HeldTurnOptions {
  readonly owner: string;
  readonly model: string;
  /** How the conversation looked when the turn began: later requests must begin the same way. */
  readonly opened: { readonly count: number; readonly print: string };
  /** Called when the turn waits for results, with what it needs to be taken up again. */
  readonly onWaiting: (turn: HeldTurn, resume: JsonObject | undefined) => Promise<void>;
  readonly onEnded: (turn: HeldTurn) => void;
}

/** A turn whose upstream keeps its stream open while a stateless client goes away to run tools. */
export class HeldTurn {
  readonly options: HeldTurnOptions;
  readonly #controller = new AbortController();
  readonly #inbox: ToolResultPart[] = [];
  readonly #pending = new Map<string, ToolCall>();
  #answered = new Set<string>();
  #grammar = new TurnGrammar();
  #stream: AsyncIterator<EventBatch> | undefined;
  #start: TurnStart | undefined;
  #wakeUpstream: (() => void) | undefined;
  #segment: TurnSegment;
  #readers = 0;
  #hasFailed = false;
  #state: 'streaming' | 'waiting' | 'ended' = 'streaming';

  constructor(options: HeldTurnOptions) {
    this.options = options;
    this.#segment = new TurnSegment(() => this.#pull());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get state(): 'streaming' | 'waiting' | 'ended' {
    return this.#state;
  }

  /** A failed turn is not read again: a retry takes it up from what was kept. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get callIds(): readonly string[] {
    return [...this.#pending.keys(), ...this.#answered];
  }

  /** The upstream's side: waits until results have come. */
  readonly receiveResults = async (): Promise<readonly ToolResultPart[]> => {
    while (this.#inbox.length === 0) {
      this.signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wakeUpstream = resolve;
      });
    }
    return this.#inbox.splice(0);
  };

  begin(stream: AsyncIterable<EventBatch>): void {
    this.#stream = stream[Symbol.asyncIterator]();
  }

  /** The client's side: results for waiting calls. Those already answered are not delivered twice. */
  deliver(results: readonly ToolResultPart[]): void {
    const fresh = results.filter(({ callId }) => this.#pending.has(callId));
    if (fresh.length === 0) return;
    if (this.#state === 'waiting' && this.#segment.isDone) this.#answered = new Set();
    for (const result of fresh) {
      this.#pending.delete(result.callId);
      this.#answered.add(result.callId);
    }
    this.#inbox.push(...fresh);
    this.#wakeUpstream?.();
    if (this.#pending.size > 0) {
      this.#segment = this.#announceAgain();
      return;
    }
    this.#state = 'streaming';
    this.#grammar = new TurnGrammar();
    let hasStarted = false;
    this.#segment = new TurnSegment(async () => {
      if (hasStarted) return this.#pull();
      hasStarted = true;
      return this.#observe([this.#freshStart()]);
    });
  }

  /** Reads the current round; leaving before its end, as the last reader, ends the turn. */
  async *read(signal: AbortSignal): AsyncGenerator<EventBatch> {
    const segment = this.#segment;
    if (!segment.isReplayable) {
      throw new GatewayError(
        'conflict',
        'This turn is being read by another request and can no longer be joined.',
      );
    }
    this.#readers++;
    const batches = segment.read();
    try {
      for (;;) {
        const next = await unlessAborted(batches.next(), signal);
        if (next.done) return;
        yield next.value;
      }
    } finally {
      this.#readers--;
      if (!segment.isDone && this.#readers === 0) this.cancel('The client went away.');
    }
  }

  cancel(reason: string): void {
    if (this.#state === 'ended') return;
    this.#hasFailed = true;
    this.#controller.abort(new GatewayError('cancelled', reason));
    this.#wakeUpstream?.();
    this.#end();
  }

  async #pull(): Promise<EventBatch | undefined> {
    if (this.#state !== 'streaming') return undefined;
    try {
      const next = await this.#stream?.next();
      if (next && !next.done) return await this.#take(next.value.events);
      throw new GatewayError('upstream-malformed', 'The upstream stopped in the middle of its answer.');
    } catch (thrown) {
      // Before anything was said the gateway may try elsewhere, so it must hear of it as a throw.
      if (!this.#start) {
        this.#end();
        throw thrown;
      }
      const error = this.signal.aborted ? this.signal.reason : thrown;
      return this.#take([
        ...this.#grammar.closingEvents(),
        { type: 'turn-error', error: GatewayError.from(error) },
      ]);
    }
  }

  async #take(events: readonly TurnEvent[]): Promise<EventBatch> {
    const given: TurnEvent[] = [];
    for (const event of events) {
      if (event.type === 'turn-start') this.#start = event;
      else if (event.type === 'tool-call' && event.resultVia === 'in-stream')
        this.#pending.set(event.callId, event);
      else if (event.type === 'turn-error') this.#hasFailed = true;
      if (event.type !== 'awaiting-results') {
        given.push(event);
        continue;
      }
      this.#state = 'waiting';
      await this.options.onWaiting(this, event.resume);
      given.push({ type: 'turn-end', reason: 'tool-calls', ...(event.usage ? { usage: event.usage } : {}) });
    }
    if (given.some(isTerminal) && this.#state === 'streaming') this.#end();
    return this.#observe(given);
  }

  #observe(events: readonly TurnEvent[]): EventBatch {
    for (const event of events) this.#grammar.check(event);
    return { events };
  }

  /** Each round is an answer of its own to the client, with an id of its own. */
  #freshStart(): TurnStart {
    const { responseId: _used, ...start } = this.#start ?? { type: 'turn-start' };
    return start;
  }

  /** Some results are still missing: the client is told once more which calls wait. */
  #announceAgain(): TurnSegment {
    const events: TurnEvent[] = [this.#freshStart()];
    for (const call of this.#pending.values()) {
      const { callId, name, kind, argumentsText } = call;
      events.push({ type: 'tool-input-start', callId, name, kind });
      if (argumentsText !== '') events.push({ type: 'tool-input-delta', callId, text: argumentsText });
      events.push({ type: 'tool-input-end', callId }, call);
    }
    events.push({ type: 'turn-end', reason: 'tool-calls' });
    let isGiven = false;
    return new TurnSegment(async () => {
      if (isGiven) return undefined;
      isGiven = true;
      return { events };
    });
  }

  #end(): void {
    this.#state = 'ended';
    this.options.onEnded(this);
    void this.#stream?.return?.().catch(() => {}); // its clean-up has nothing left to tell us
  }
}

function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = () => reject(new GatewayError('cancelled', 'The client went away.'));
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

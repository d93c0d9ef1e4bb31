import { setImmediate as nextTurn } from 'node:timers/promises';
import { GatewayError } from '../../core/index.ts';
import type {
  EventBatch,
  ModelInfo,
  Upstream,
  UpstreamCall,
  UpstreamKind,
  UpstreamOptions,
} from '../dialect.ts';
import { countInput } from './count-input.ts';
import { SCENARIO_NAMES, scriptFor } from './scenarios.ts';
import { type Sleep, streamAnswer } from './stream-answer.ts';

export interface DemoOptions {
  /** How time passes; tests pass one that does not wait. */
  readonly sleep?: Sleep;
  readonly eventsPerBatch?: number;
}

const CONTEXT_WINDOW = 1_000_000;
const EVENTS_PER_BATCH = 16;

/** The embedded model: offline, deterministic, and open about being a rule-based program. */
export function createDemoUpstream(demoOptions: DemoOptions = {}): UpstreamKind {
  return { kind: 'demo', create: (options) => new DemoUpstream(options, demoOptions) };
}

export const demoUpstream: UpstreamKind = createDemoUpstream();

class DemoUpstream implements Upstream {
  readonly name: string;
  readonly kind = 'demo';
  readonly supportsChoices = false;
  readonly #options: UpstreamOptions;
  readonly #sleep: Sleep;
  readonly #eventsPerBatch: number;

  constructor(options: UpstreamOptions, demoOptions: DemoOptions) {
    this.name = options.name;
    this.#options = options;
    this.#sleep = demoOptions.sleep ?? sleepUnlessAborted;
    this.#eventsPerBatch = demoOptions.eventsPerBatch ?? EVENTS_PER_BATCH;
  }

  async *openTurn(call: UpstreamCall): AsyncGenerator<EventBatch> {
    const { request, signal } = call;
    if (signal.aborted) throw new GatewayError('cancelled', 'The turn was cancelled before it began.');
    const { newId } = this.#options;
    const inputTokens = countInput(request);
    const window = this.#contextWindow;
    if (inputTokens > window) {
      const message = `The request has ${inputTokens} tokens; the demo model takes at most ${window}. Shorten the conversation.`;
      throw new GatewayError('context-overflow', message, { detail: { reason: 'context_length_exceeded' } });
    }
    const script = scriptFor({ request, newId });
    yield* streamAnswer(script, {
      request,
      responseId: newId('demo_'),
      inputTokens,
      signal,
      sleep: this.#sleep,
      eventsPerBatch: this.#eventsPerBatch,
    });
  }

  async listModels(): Promise<readonly ModelInfo[]> {
    return SCENARIO_NAMES.map((id) => ({
      id,
      displayName: id === 'demo' ? 'Demo (offline, rule-based)' : `Demo scenario: ${id}`,
      contextWindow: this.#contextWindow,
      ownedBy: 'crosspoint',
    }));
  }

  async close(): Promise<void> {
    // Nothing is held open between turns.
  }

  get #contextWindow(): number {
    return this.#options.contextWindow ?? CONTEXT_WINDOW;
  }
}

function sleepUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  if (ms === 0) return nextTurn();
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

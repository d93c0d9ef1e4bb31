import type { GatewayError } from '../core/index.ts';
import type { TurnObserver } from '../gateway/gateway.ts';
import { type Log, type Metrics, turnLogLine } from '../observe/index.ts';
import type { JournalStore } from '../store/index.ts';

export interface UpstreamHealth {
  readonly state: 'ok' | 'failing' | 'unknown';
  readonly lastError?: string;
}

export interface ServerObserver extends TurnObserver {
  healthOf(upstream: string): UpstreamHealth;
}

export interface ObserverOptions {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly journal: JournalStore;
  readonly redact: (text: string) => string;
  readonly onChange: () => void;
}

/** Writes what happens to turns into the log, the metrics and the journal, and remembers how each upstream fares. */
export function createTurnObserver(options: ObserverOptions): ServerObserver {
  const { log, metrics, journal } = options;
  const health = new Map<string, UpstreamHealth>();
  return {
    turnStarted: () => options.onChange(),
    turnEnded(summary, error) {
      options.onChange();
      journal.append(summary);
      metrics.turnFinished(summary);
      const line = turnLogLine(summary);
      log[line.level]({ ...line.fields, ...describeError(error) }, line.message);
    },
    upstreamAttempt(upstream, error) {
      metrics.upstreamAttempt(upstream, error?.code ?? 'ok');
      // A cancelled attempt says nothing about the upstream.
      if (error?.code === 'cancelled') return;
      const lastError = error && options.redact(error.message);
      health.set(upstream, lastError === undefined ? { state: 'ok' } : { state: 'failing', lastError });
      if (error)
        log.warn(
          { upstream, code: error.code, retryable: error.retryable },
          `attempt failed: ${error.message}`,
        );
    },
    grammarProblem(turnId, model, problem) {
      metrics.grammarViolation();
      log.error({ turnId, model, problem }, 'turn events came in a forbidden order; this is a bug');
    },
    drift: (dialect, kind) => metrics.drift(dialect, kind),
    healthOf: (upstream) => health.get(upstream) ?? { state: 'unknown' },
  };
}

function describeError(error: GatewayError | undefined): { error?: string } {
  return error ? { error: error.message } : {};
}

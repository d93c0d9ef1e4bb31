// Prometheus text format 0.0.4, by prom-client with a registry of its own: two gateways in one process do not mix.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { TurnSummary } from '../store/ports.ts';
import { createLabelBound } from './label-bound.ts';

export interface Metrics {
  turnFinished(summary: TurnSummary): void;
  /** One try at an upstream; `result` is `ok` or an error code. */
  upstreamAttempt(upstream: string, result: string): void;
  streamOpened(): void;
  streamClosed(): void;
  setLiveTurns(count: number): void;
  setQueueLength(count: number): void;
  grammarViolation(): void;
  /** Something on the wire this version has no word for, e.g. dialect `openai-chat`, kind `unknown-field:foo`. */
  drift(dialect: string, kind: string): void;
  render(): Promise<{ readonly contentType: string; readonly body: string }>;
  close(): void;
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

export function createMetrics(options: { readonly version: string }): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const bound = createLabelBound();

  const buildInfo = new Gauge({
    name: 'crosspoint_build_info',
    help: 'Always 1; the labels say which build runs.',
    labelNames: ['version', 'node'] as const,
    registers,
  });
  buildInfo.set({ version: options.version, node: process.version }, 1);

  const turns = new Counter({
    name: 'crosspoint_turns_total',
    help: 'Finished turns by front, upstream, outcome and error code.',
    labelNames: ['front', 'upstream', 'outcome', 'code'] as const,
    registers,
  });
  const tokens = new Counter({
    name: 'crosspoint_tokens_total',
    help: 'Tokens by kind. input contains cache_read and cache_write, output contains reasoning: do not add them up.',
    labelNames: ['upstream', 'kind', 'estimated'] as const,
    registers,
  });
  const turnSeconds = new Histogram({
    name: 'crosspoint_turn_seconds',
    help: 'From the request to the end of the answer.',
    labelNames: ['upstream'] as const,
    buckets: SECONDS,
    registers,
  });
  const firstByteSeconds = new Histogram({
    name: 'crosspoint_first_byte_seconds',
    help: 'From the request to the first byte of the answer.',
    labelNames: ['upstream'] as const,
    buckets: SECONDS,
    registers,
  });
  const openStreams = new Gauge({
    name: 'crosspoint_open_streams',
    help: 'Streaming answers being written now.',
    registers,
  });
  const liveTurns = new Gauge({
    name: 'crosspoint_live_turns',
    help: 'Turns in progress now, parked ones included.',
    registers,
  });
  const queueLength = new Gauge({
    name: 'crosspoint_queue_length',
    help: 'Turns waiting for a free place.',
    registers,
  });
  const attempts = new Counter({
    name: 'crosspoint_upstream_attempts_total',
    help: 'Tries at an upstream, retries and failover included.',
    labelNames: ['upstream', 'result'] as const,
    registers,
  });
  const violations = new Counter({
    name: 'crosspoint_grammar_violations_total',
    help: 'Turn events that came in an order the grammar forbids; anything above 0 is a bug.',
    registers,
  });
  const drift = new Counter({
    name: 'crosspoint_drift_total',
    help: 'Things on the wire this version does not know; they were kept, not dropped.',
    labelNames: ['dialect', 'kind'] as const,
    registers,
  });

  function countTokens(upstream: string, summary: TurnSummary): void {
    const { usage } = summary;
    if (!usage) return;
    const estimated = String(usage.estimated === true);
    const kinds: readonly (readonly [string, number | undefined])[] = [
      ['input', usage.inputTokens],
      ['output', usage.outputTokens],
      ['cache_read', usage.cacheReadTokens],
      ['cache_write', usage.cacheWriteTokens],
      ['reasoning', usage.reasoningTokens],
    ];
    for (const [kind, count] of kinds) {
      // A counter throws on negative numbers, and an upstream may send anything.
      if (count !== undefined && count > 0 && Number.isFinite(count)) {
        tokens.inc({ upstream, kind, estimated }, count);
      }
    }
  }

  return {
    turnFinished(summary) {
      const upstream = bound('upstream', summary.upstream ?? 'none');
      const code = summary.outcome === 'error' ? (summary.errorCode ?? 'internal') : 'none';
      const front = bound('front', summary.front);
      turns.inc({ front, upstream, outcome: summary.outcome, code: bound('code', code) });
      countTokens(upstream, summary);
      if (summary.durationMs !== undefined) turnSeconds.observe({ upstream }, summary.durationMs / 1000);
      if (summary.firstByteMs !== undefined)
        firstByteSeconds.observe({ upstream }, summary.firstByteMs / 1000);
    },
    upstreamAttempt(upstream, result) {
      attempts.inc({ upstream: bound('upstream', upstream), result: bound('result', result) });
    },
    streamOpened: () => openStreams.inc(),
    streamClosed: () => openStreams.dec(),
    setLiveTurns: (count) => liveTurns.set(count),
    setQueueLength: (count) => queueLength.set(count),
    grammarViolation: () => violations.inc(),
    drift(dialect, kind) {
      drift.inc({ dialect: bound('dialect', dialect), kind: bound('kind', kind) });
    },
    async render() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
    close: () => registry.clear(),
  };
}

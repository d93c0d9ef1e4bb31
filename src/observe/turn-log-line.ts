import { omitUndefined, type Usage } from '../core/index.ts';
import type { TurnSummary } from '../store/ports.ts';

export interface TurnLogLine {
  readonly level: 'info' | 'warn';
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** The one log line of a finished turn: `log[line.level](line.fields, line.message)`. Holds no text of the turn. */
export function turnLogLine(summary: TurnSummary): TurnLogLine {
  const { usage, upstream, upstreamModel, outcome, errorCode } = summary;
  const target = upstream === undefined ? 'no upstream' : `${upstream}/${upstreamModel ?? summary.model}`;
  const ending = outcome === 'error' ? `error ${errorCode ?? 'internal'}` : outcome;
  const parts = [`${summary.front} ${summary.model} → ${target}: ${ending}`];
  if (summary.durationMs !== undefined) parts.push(`${(summary.durationMs / 1000).toFixed(2)} s`);
  if (usage) parts.push(describeUsage(usage));
  if (summary.toolCalls > 0)
    parts.push(`${summary.toolCalls} tool call${summary.toolCalls === 1 ? '' : 's'}`);
  return {
    level: outcome === 'error' ? 'warn' : 'info',
    fields: omitUndefined({
      turnId: summary.turnId,
      front: summary.front,
      model: summary.model,
      upstream,
      upstreamModel,
      keyId: summary.keyId,
      session: summary.session,
      outcome,
      errorCode,
      finishReason: summary.finishReason,
      stream: summary.stream,
      passThrough: summary.passThrough,
      attempts: summary.attempts,
      firstByteMs: summary.firstByteMs,
      durationMs: summary.durationMs,
      toolCalls: summary.toolCalls,
      usage,
    }),
    message: parts.join(', '),
  };
}

function describeUsage(usage: Usage): string {
  const counts = `${usage.inputTokens} in / ${usage.outputTokens} out`;
  return usage.estimated === true ? `about ${counts} (estimated)` : counts;
}

import { describe, expect, test } from 'vitest';
import type { TurnSummary } from '../store/ports.ts';
import { createLabelBound } from './label-bound.ts';
import { createMetrics } from './metrics.ts';
import { turnLogLine } from './turn-log-line.ts';

const SUMMARY: TurnSummary = {
  turnId: 'turn_1',
  startedAtMs: 1000,
  endedAtMs: 2500,
  durationMs: 1500,
  firstByteMs: 200,
  front: 'openai-chat',
  model: 'fast',
  upstream: 'local',
  upstreamModel: 'llama',
  stream: true,
  outcome: 'ok',
  finishReason: 'stop',
  usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15, cacheReadTokens: 4, reasoningTokens: 2 },
  attempts: 1,
  toolCalls: 1,
  passThrough: false,
};

describe('createMetrics', () => {
  test('counts a finished turn, its tokens by kind and its times', async () => {
    const metrics = createMetrics({ version: '1.2.3' });
    metrics.turnFinished(SUMMARY);
    const { body, contentType } = await metrics.render();
    expect(contentType).toContain('text/plain');
    expect(body).toContain(
      'crosspoint_turns_total{front="openai-chat",upstream="local",outcome="ok",code="none"} 1',
    );
    expect(body).toContain('crosspoint_tokens_total{upstream="local",kind="input",estimated="false"} 10');
    expect(body).toContain('crosspoint_tokens_total{upstream="local",kind="cache_read",estimated="false"} 4');
    expect(body).toContain('crosspoint_tokens_total{upstream="local",kind="reasoning",estimated="false"} 2');
    expect(body).not.toContain('kind="cache_write"');
    expect(body).toContain('crosspoint_turn_seconds_sum{upstream="local"} 1.5');
    expect(body).toContain('crosspoint_first_byte_seconds_bucket{le="0.25",upstream="local"} 1');
    expect(body).toMatch(/crosspoint_build_info\{version="1.2.3",node="v\d+/);
  });

  test('shows gauges, attempts, grammar violations and drift', async () => {
    const metrics = createMetrics({ version: '0' });
    metrics.streamOpened();
    metrics.streamOpened();
    metrics.streamClosed();
    metrics.setLiveTurns(3);
    metrics.setQueueLength(2);
    metrics.upstreamAttempt('local', 'rate-limited');
    metrics.grammarViolation();
    metrics.drift('openai-chat', 'unknown-field:"x"\n');
    const { body } = await metrics.render();
    expect(body).toContain('crosspoint_open_streams 1');
    expect(body).toContain('crosspoint_live_turns 3');
    expect(body).toContain('crosspoint_queue_length 2');
    expect(body).toContain('crosspoint_upstream_attempts_total{upstream="local",result="rate-limited"} 1');
    expect(body).toContain('crosspoint_grammar_violations_total 1');
    expect(body).toContain('crosspoint_drift_total{dialect="openai-chat",kind="unknown-field:\\"x\\"\\n"} 1');
  });

  test('marks estimated tokens and survives impossible counts', async () => {
    const metrics = createMetrics({ version: '0' });
    const usage = {
      inputTokens: -1,
      outputTokens: Number.NaN,
      totalTokens: 0,
      reasoningTokens: 7,
      estimated: true,
    };
    metrics.turnFinished({ ...SUMMARY, usage });
    const { body } = await metrics.render();
    expect(body).toContain('crosspoint_tokens_total{upstream="local",kind="reasoning",estimated="true"} 7');
    expect(body).not.toContain('kind="input"');
  });

  test('keeps two gateways of one process apart and is empty after close', async () => {
    const [a, b] = [createMetrics({ version: 'a' }), createMetrics({ version: 'b' })];
    a.setLiveTurns(9);
    expect((await b.render()).body).toContain('crosspoint_live_turns 0');
    a.close();
    expect((await a.render()).body.trim()).toBe('');
  });
});

describe('createLabelBound', () => {
  test('counts values beyond the bound as other, and known ones as themselves', () => {
    const bound = createLabelBound(2);
    expect([bound('k', 'a'), bound('k', 'b'), bound('k', 'c'), bound('k', 'a'), bound('l', 'c')]).toEqual([
      'a',
      'b',
      'other',
      'a',
      'c',
    ]);
  });
});

describe('turnLogLine', () => {
  test('says what ran where, how it ended and what it cost', () => {
    const line = turnLogLine(SUMMARY);
    expect(line.level).toBe('info');
    expect(line.message).toBe('openai-chat fast → local/llama: ok, 1.50 s, 10 in / 5 out, 1 tool call');
    expect(line.fields).toMatchObject({ turnId: 'turn_1', outcome: 'ok', firstByteMs: 200 });
  });

  test('warns about errors, names their code and says when tokens are an estimate', () => {
    const { upstream, upstreamModel, ...rest } = SUMMARY;
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2, estimated: true };
    const line = turnLogLine({ ...rest, usage, outcome: 'error', errorCode: 'upstream-unavailable' });
    expect([upstream, upstreamModel]).toEqual(['local', 'llama']);
    expect(line.level).toBe('warn');
    expect(line.message).toContain('→ no upstream: error upstream-unavailable');
    expect(line.message).toContain('about 1 in / 1 out (estimated)');
    expect(line.fields).not.toHaveProperty('upstream');
  });
});

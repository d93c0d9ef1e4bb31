// What goes wrong, and how a client of the agent protocol is told: keys, models, cancelled runs, silence, broken upstreams.
import { Code, ConnectError } from '@connectrpc/connect';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ErrorDetailsSchema } from '../../src/gen/aiserver/v1/error_details_pb.ts';
import { createdKeySchema } from '../../src/server/admin/schema.ts';
import type { CarrierKind, Turn } from '../support/native-client/index.ts';
import { openStage, type Stage } from '../support/native-client/open-stage.ts';

const CARRIERS: readonly CarrierKind[] = ['http1', 'http2'];

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

/** The error a turn ended with, with the details that the SDK shows to its caller. */
function failureOf({ end, record }: Turn) {
  if (end.kind !== 'failed') throw new Error(`the turn ended as ${end.kind}: ${record.outline.join(' ')}`);
  const error = ConnectError.from(end.error);
  const [details] = error.findDetails(ErrorDetailsSchema);
  return { code: error.code, message: error.rawMessage, details };
}

describe.each(CARRIERS)('over %s', (carrier) => {
  it('an unknown model is refused in words, and not to be retried', async () => {
    stage = await openStage();
    const { agent } = await stage.agent(carrier, { model: 'no/such-model' });
    const { code, details, message } = failureOf(await agent.send('hello'));
    expect([Code.NotFound, Code.InvalidArgument]).toContain(code);
    expect(details?.details?.isRetryable).not.toBe(true);
    expect(`${message} ${details?.details?.title} ${details?.details?.detail}`).toContain('no/such-model');
  });

  it('a model that fails in mid-stream ends the run with a reason', async () => {
    stage = await openStage();
    const { agent } = await stage.agent(carrier, { model: 'demo/error-mid-stream' });
    const turn = await agent.send('hello', { isRetried: false });
    expect(turn.record.text).toContain('This answer breaks off');
    expect(failureOf(turn).details?.details?.detail).toContain('error-mid-stream');
  });

  it('a cancelled run aborts the call of the model', async () => {
    stage = await openStage({ rounds: [], script: { before: () => new Promise(() => {}) } });
    const { agent } = await stage.agent(carrier);
    const stop = new AbortController();
    const sent = agent.send('hello', { signal: stop.signal });
    await vi.waitFor(() => expect(stage?.model?.requests).toHaveLength(1), 10_000);
    const cancelledAt = performance.now();
    stop.abort();
    await stage.model?.closed(0);
    expect(performance.now() - cancelledAt).toBeLessThan(1_000);
    expect((await sent).end).toEqual({ kind: 'cancelled' });
  });

  it('a cancelled run can be followed by another in the same conversation', async () => {
    stage = await openStage();
    const { agent } = await stage.agent(carrier, { model: 'demo/slow' });
    const stop = new AbortController();
    const { end } = await agent.send('who are you', {
      signal: stop.signal,
      onFrame: ({ message }) => {
        if (message.case === 'interactionUpdate' && message.value.message.case === 'textDelta') stop.abort();
      },
    });
    expect(end).toEqual({ kind: 'cancelled' });
    const next = await agent.send('what is 6*7');
    expect(next.end).toEqual({ kind: 'done' });
    expect(next.record.violations).toEqual([]);
    expect(next.record.text).toContain('6*7 = 42');
  });

  it('a cancel action aborts the tool that runs, stores where the run stood and ends it', async () => {
    stage = await openStage({ rounds: [[{ name: 'run_terminal_command', args: { command: 'sleep 60' } }]] });
    const { agent } = await stage.agent(carrier);
    const seen: string[] = [];
    const startedAt = performance.now();
    const turn = await agent.send('hello', {
      isRetried: false,
      onFrame: ({ message }, send) => {
        if (message.case === 'execServerMessage' && message.value.message.case === 'shellStreamArgs') {
          const action = { case: 'cancelAction' as const, value: { reason: 'enough' } };
          send({ case: 'conversationAction', value: { action } });
        }
        if (message.case === 'execServerControlMessage') seen.push(message.value.message.case ?? '');
      },
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(seen).toEqual(['abort']);
    expect(failureOf(turn)).toMatchObject({ code: Code.Canceled, message: 'enough' });
    expect(turn.record.outline.at(-1)).toBe('checkpoint');
    expect(turn.record.violations).toEqual([]);
    expect(stage.model?.requests).toHaveLength(1);
  });

  it('a key and an address in the request are refused unless the operator allows them', async () => {
    stage = await openStage();
    const { workspace } = await stage.agent(carrier);
    const credentials = {
      case: 'apiKeyCredentials' as const,
      value: { apiKey: 'sk-of-the-client', baseUrl: 'http://127.0.0.1:9/v1' },
    };
    const agent = stage.client(carrier).openAgent({
      workspace,
      model: 'my-model',
      request: { requestedModel: { modelId: 'my-model', credentials } },
    });
    const { code, message, details } = failureOf(await agent.send('hello'));
    expect([Code.PermissionDenied, Code.FailedPrecondition, Code.InvalidArgument]).toContain(code);
    expect(`${message} ${details?.details?.detail}`).not.toContain('sk-of-the-client');
    expect(stage.gateway.logLines.join('')).not.toContain('sk-of-the-client');
  });
});

describe('a model that refuses at once', () => {
  it('ends the run with its own words and the code for a limit', async () => {
    stage = await openStage();
    const { agent } = await stage.agent('http1', { model: 'demo/error-first' });
    const { code, details } = failureOf(await agent.send('hello', { isRetried: false }));
    expect(code).toBe(Code.ResourceExhausted);
    expect(details?.details?.detail).toContain('error-first');
  });
});

describe('an address in the request that the operator allows', () => {
  it('is still refused when it is private', async () => {
    stage = await openStage({
      config: (config) => ({ ...config, agent: { ...config.agent, clientUpstreams: true } }),
    });
    const { workspace } = await stage.agent('http1');
    const value = { apiKey: 'sk-of-the-client', baseUrl: 'http://127.0.0.1:9/v1' };
    const requestedModel = {
      modelId: 'my-model',
      credentials: { case: 'apiKeyCredentials' as const, value },
    };
    const agent = stage
      .client('http1')
      .openAgent({ workspace, model: 'my-model', request: { requestedModel } });
    const { message, details } = failureOf(await agent.send('hello', { isRetried: false }));
    expect(`${message} ${details?.details?.detail}`).toMatch(/private|loopback|public/i);
    expect(`${message} ${details?.details?.detail}`).not.toContain('sk-of-the-client');
  });
});

describe('silence', () => {
  it('is broken by heartbeats while the model thinks and while the client works', {
    timeout: 30_000,
  }, async () => {
    const waits: (() => void)[] = [];
    const hold = () => new Promise<void>((resolve) => waits.push(resolve));
    stage = await openStage({
      rounds: [[{ name: 'run_terminal_command', args: { command: 'true' } }]],
      script: { before: (index) => (index === 0 ? hold() : undefined) },
    });
    const beats: string[] = [];
    const { agent } = await stage.agent('http1', { before: hold });
    const turn = await agent.send('hello', {
      onFrame: ({ message }) => {
        if (message.case !== 'interactionUpdate' || message.value.message.case !== 'heartbeat') return;
        beats.push(waits.length === 0 ? 'early' : 'in the silence');
        // One heartbeat in each of the two silences is enough to go on.
        waits.shift()?.();
      },
    });
    expect(turn.end).toEqual({ kind: 'done' });
    expect(turn.record.violations).toEqual([]);
    expect(beats.filter((beat) => beat === 'in the silence')).toHaveLength(2);
    // The official SDK gives a stream up after 30 seconds without a frame.
    expect(turn.record.longestSilenceMs).toBeLessThan(10_500);
  });
});

describe('keys', () => {
  it('are asked for when the gateway wants them, exchanged, and refused when wrong or revoked', async () => {
    stage = await openStage({
      config: (config) => ({ ...config, server: { ...config.server, auth: 'keys' } }),
    });
    const { workspace } = await stage.agent('http1');
    const created = await stage.gateway.admin('POST', '/api/keys', { name: 'laptop' });
    const { key, secret } = createdKeySchema.parse(await created.json());
    const good = stage.client('http2', secret);
    const agent = good.openAgent({ workspace, model: 'demo/demo' });
    const turn = await agent.send('what is 6*7');
    expect(turn.end).toEqual({ kind: 'done' });
    expect(turn.record.text).toContain('42');
    expect((await good.listModels()).length).toBeGreaterThan(0);

    const bad = stage.client('http1', 'wrong');
    await expect(bad.exchange()).rejects.toThrow(/401/);
    await expect(bad.listModels()).rejects.toThrow(/401/);

    expect((await stage.gateway.admin('DELETE', `/api/keys/${key.id}`)).ok).toBe(true);
    await expect(good.exchange()).rejects.toThrow(/401/);
  });
});

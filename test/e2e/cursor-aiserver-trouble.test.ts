// What goes wrong, and how a client of unified chat is told: keys, models, servers of its own, answers that nobody wants
// any more, broken messages, and silence.
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  StreamUnifiedChatRequestWithToolsSchema,
  StreamUnifiedChatRequest_UnifiedMode as UnifiedMode,
} from '../../src/gen/aiserver/v1/chat_request_pb.ts';
import {
  ErrorDetailsSchema,
  ErrorDetails_Error as Fault,
} from '../../src/gen/aiserver/v1/error_details_pb.ts';
import { createdKeySchema } from '../../src/server/admin/schema.ts';
import {
  CARRIERS,
  type CarrierKind,
  type ChatTurn,
  IdempotentTurn,
  openStage,
  type Stage,
} from '../support/aiserver-client/index.ts';

const CHAT = '/aiserver.v1.ChatService/StreamUnifiedChatWithTools';

let stage: Stage | undefined;
afterEach(async () => {
  await stage?.stop();
  stage = undefined;
});

/** The error that an answer ended with, with the details that clients show. */
function failureOf({ end, record }: ChatTurn) {
  if (end.kind !== 'failed') throw new Error(`it ended as ${end.kind}: ${record.outline.join(' ')}`);
  const [details] = end.error.findDetails(ErrorDetailsSchema);
  return { code: end.error.code, fault: details?.error, detail: details?.details?.detail ?? '', details };
}

describe.each(CARRIERS)('over %s', (carrier) => {
  it('an unknown model is refused by its name', async () => {
    stage = await openStage();
    const client = await stage.client(carrier, { model: 'no/such-model' });
    const { code, fault, detail, details } = failureOf(await client.ask('hello'));
    expect(code).toBe(Code.NotFound);
    expect(fault).toBe(Fault.BAD_MODEL_NAME);
    expect(detail).toContain('no/such-model');
    expect(details?.details?.isRetryable).not.toBe(true);
  });

  it('a model that breaks off ends the answer with a reason and never as if it were whole', async () => {
    stage = await openStage();
    const client = await stage.client(carrier, { model: 'demo/error-mid-stream' });
    const turn = await client.ask('hello');
    expect(turn.record.text).toContain('This answer breaks off');
    expect(failureOf(turn).detail).toContain('error-mid-stream');
  });

  it('a key that the gateway does not know is refused, and the right one is taken', async () => {
    stage = await openStage({
      config: (config) => ({ ...config, server: { ...config.server, auth: 'keys' } }),
    });
    const created = await stage.gateway.admin('POST', '/api/keys', { name: 'laptop' });
    const { secret } = createdKeySchema.parse(await created.json());
    const good = await stage.client(carrier, { key: secret, files: { 'a.txt': 'alpha\n' } });
    expect((await good.ask('read a.txt')).end).toEqual({ kind: 'done' });
    const bad = await stage.client(carrier, { key: 'sk-of-nobody' });
    const turn = await bad.ask('hello');
    expect(turn.end.kind === 'failed' && turn.end.error.code).toBe(Code.Unauthenticated);
    expect(turn.record.messages).toEqual([]);
    const refused = await bad.ai.availableModels({}).catch((error: unknown) => ConnectError.from(error).code);
    expect(refused).toBe(Code.Unauthenticated);
    expect(stage.gateway.logLines.join('')).not.toContain('sk-of-nobody');
  });

  it('a server and a key of the client’s own are refused in words unless the operator allows them', async () => {
    stage = await openStage();
    const client = await stage.client(carrier);
    const modelDetails = {
      modelName: 'my-model',
      apiKey: 'sk-of-the-client',
      openaiApiBaseUrl: 'http://127.0.0.1:9/v1',
    };
    const { code, detail } = failureOf(await client.ask('hello', { request: { modelDetails } }));
    expect(code).toBe(Code.PermissionDenied);
    expect(detail).toMatch(/clientUpstreams/);
    expect(detail).not.toContain('sk-of-the-client');
    expect(stage.gateway.logLines.join('')).not.toContain('sk-of-the-client');
    // A key alone is what IDEs send with every request.
    const { apiKey } = modelDetails;
    const turn = await client.ask('what is 6*7', {
      request: { modelDetails: { modelName: 'demo/demo', apiKey } },
    });
    expect(turn.end).toEqual({ kind: 'done' });
    expect(turn.record.text).toContain('42');
  });

  it('a private address is refused even when the operator allows servers of clients', async () => {
    stage = await openStage({
      config: (config) => ({ ...config, agent: { ...config.agent, clientUpstreams: true } }),
    });
    const client = await stage.client(carrier);
    const modelDetails = { modelName: 'm', apiKey: 'sk-c', openaiApiBaseUrl: 'http://127.0.0.1:9/v1' };
    expect(failureOf(await client.ask('hello', { request: { modelDetails } })).detail).toMatch(
      /private|loopback|public/i,
    );
  });

  it('a client that leaves aborts the call of the model', async () => {
    stage = await openStage({ rounds: [], script: { before: () => new Promise(() => {}) } });
    const client = await stage.client(carrier);
    const stop = new AbortController();
    const asked = client.ask('hello', { signal: stop.signal });
    await vi.waitFor(() => expect(stage?.model?.requests).toHaveLength(1), 10_000);
    const leftAt = performance.now();
    stop.abort();
    await stage.model?.closed(0);
    expect(performance.now() - leftAt).toBeLessThan(1_000);
    expect((await asked).end).toEqual({ kind: 'left' });
  });

  it('a client that leaves while it runs a call is not waited for', async () => {
    stage = await openStage({ rounds: [[{ name: 'read_file', args: { path: 'a' } }]] });
    const stop = new AbortController();
    const client = await stage.client(carrier, {
      before: () => {
        stop.abort();
        return new Promise(() => {});
      },
    });
    const { end, record } = await client.ask('hello', { signal: stop.signal });
    expect(end).toEqual({ kind: 'left' });
    expect(record.violations).toEqual([]);
    // Stopping a gateway waits for what is under way: it must not wait for this.
    const stoppedAt = performance.now();
    await stage.stop();
    stage = undefined;
    expect(performance.now() - stoppedAt).toBeLessThan(3_000);
  });

  it('the word abort of the idempotent form aborts the call of the model and ends the answer', async () => {
    stage = await openStage({ rounds: [], script: { before: () => new Promise(() => {}) } });
    const turn = new IdempotentTurn(await stage.client(carrier));
    const asked = turn.ask('hello');
    await vi.waitFor(() => expect(stage?.model?.requests).toHaveLength(1), 10_000);
    turn.abort();
    await stage.model?.closed(0);
    expect((await asked).end).toEqual({ kind: 'done' });
  });

  it('a conversation without a word is refused with the field at fault', async () => {
    stage = await openStage();
    const client = await stage.client(carrier);
    const { code, detail } = failureOf(await client.ask('', { request: { conversation: [] } }));
    expect(code).toBe(Code.InvalidArgument);
    expect(detail).toMatch(/conversation/);
  });
});

/** Frames by hand, as gateways in front of stateless clients write them over HTTP/1.1. */
function frame(flags: number, payload: Uint8Array): Uint8Array {
  const head = Buffer.alloc(5);
  head.writeUInt8(flags, 0);
  head.writeUInt32BE(payload.length, 1);
  return Buffer.concat([head, payload]);
}

async function postFrames(
  carrierStage: Stage,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(carrierStage.gateway.url + CHAT, {
    method: 'POST',
    headers: { 'content-type': 'application/connect+proto', authorization: 'Bearer any', ...headers },
    body,
  });
  return { status: response.status, text: Buffer.from(await response.arrayBuffer()).toString('latin1') };
}

describe('whole requests over HTTP/1.1', () => {
  const requestBytes = (text: string) =>
    toBinary(
      StreamUnifiedChatRequestWithToolsSchema,
      create(StreamUnifiedChatRequestWithToolsSchema, {
        request: {
          case: 'streamUnifiedChatRequest',
          value: {
            conversation: [{ type: 1, text }],
            modelDetails: { modelName: 'demo/demo' },
            unifiedMode: UnifiedMode.CHAT,
          },
        },
      }),
    );

  it('are answered, plain or with a compressed frame', async () => {
    stage = await openStage();
    const plain = await postFrames(stage, frame(0, requestBytes('what is 6*7')));
    expect(plain.status).toBe(200);
    expect(plain.text).toContain('42');
    expect(plain.text).toMatch(/\{\}$/);
    const packed = await postFrames(stage, frame(1, gzipSync(requestBytes('what is 6*7'))), {
      'connect-content-encoding': 'gzip',
      'connect-accept-encoding': 'gzip',
    });
    expect(packed.text).toContain('42');
  });

  it('that cannot be read, or hold no request, end with the reason', async () => {
    stage = await openStage();
    const garbage = await postFrames(stage, frame(0, Buffer.from([0xff, 0xff, 0xff])));
    expect(garbage.text).toMatch(/invalid_argument/);
    const nothing = await postFrames(stage, new Uint8Array());
    expect(nothing.text).toMatch(/before a request came/);
    const cut = await postFrames(stage, frame(0, requestBytes('hello')).slice(0, -2));
    expect(cut.text).toMatch(/not whole/);
  });
});

describe('silence', () => {
  const FORMS: readonly (readonly [string, CarrierKind, boolean])[] = [
    ['the plain form over bidi', 'bidi', false],
    ['the plain form over sse', 'sse', false],
    ['the idempotent form', 'bidi', true],
  ];

  it.concurrent.each(FORMS)(
    'is broken while the model thinks, in %s',
    { timeout: 30_000 },
    async (_name, carrier, isIdempotent) => {
      let isHeard: () => void = () => {};
      const heard = new Promise<void>((resolve) => {
        isHeard = resolve;
      });
      const silent = await openStage({ rounds: [], script: { before: () => heard } });
      try {
        const client = await silent.client(carrier);
        const startedAt = performance.now();
        // A chat response without any field, which draws nothing.
        const turn = isIdempotent
          ? await new IdempotentTurn(client, {
              onMessage: ({ response }) => {
                if (response.case === 'serverChunk' && response.value.eventId === '') isHeard();
              },
            }).ask('hello')
          : await client.ask('hello', {
              onMessage: ({ response: { case: kind, value } }) => {
                if (kind !== 'streamUnifiedChatResponse') return;
                const { $typeName: _, text, ...fields } = value;
                const isEmpty = text === '' && Object.values(fields).every((field) => field === undefined);
                if (isEmpty) isHeard();
              },
            });
        expect(turn.end).toEqual({ kind: 'done' });
        expect(turn.record.violations).toEqual([]);
        expect(turn.record.text).toBe('All done.');
        expect(performance.now() - startedAt).toBeLessThan(15_000);
      } finally {
        await silent.stop();
      }
    },
  );
});

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../core/index.ts';
import { numberedTools } from '../../gateway/native-tools.ts';
import {
  ConversationMessage_MessageType as MessageType,
  StreamUnifiedChatRequestWithToolsIdempotentSchema as RequestSchema,
  StreamUnifiedChatRequestSchema,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import { StreamUnifiedChatResponseWithToolsIdempotentSchema as ResponseSchema } from '../../gen/aiserver/v1/chat_response_pb.ts';
import type { ClientSideToolV2Result } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { encodeClientSideResult } from '../../tools/codecs/index.ts';
import { succeed } from '../../tools/tool-outcome.ts';
import { ManualTimers, settle } from '../cursor-agent/fixtures/manual-timers.ts';
import type { NativeFront } from '../native-front.ts';
import { testContext } from './fixtures/chat-client.ts';
import { MemoryChannel } from './fixtures/memory-channel.ts';
import { NO_USAGE, ScriptedHost, type ScriptedStep } from './fixtures/scripted-host.ts';
import { createCursorAiserverFront } from './index.ts';

const { messages } = numberedTools;
const tools = [
  { definition: { kind: 'function' as const, name: 'read_file' }, number: 40, name: 'read_file' },
];
const request = create(StreamUnifiedChatRequestSchema, {
  conversation: [{ type: MessageType.HUMAN, text: 'Go', bubbleId: 'b' }],
  supportedTools: [40],
  isAgentic: true,
});

type Request = NonNullable<MessageInitShape<typeof RequestSchema>['request']>;

/** One connection of a client. */
class Connection {
  readonly channel = new MemoryChannel();
  readonly done: Promise<void>;

  constructor(
    front: NativeFront,
    key: string,
    lastEvent = '0',
    form = 'StreamUnifiedChatWithToolsIdempotent',
  ) {
    const headers = { 'x-idempotency-key': key, 'x-idempotency-event-id': lastEvent };
    const method = front.streams.find(({ path }) => path.endsWith(`/${form}`));
    if (!method) throw new Error(`No method ${form}.`);
    this.done = method.open(this.channel, testContext(headers, this.channel.signal));
    this.done.catch(() => undefined);
  }

  say(seqno: number, body: Request): void {
    this.channel.push(toBinary(RequestSchema, create(RequestSchema, { seqno, request: body })));
  }

  ask(seqno = 0): void {
    const chunk = { request: { case: 'streamUnifiedChatRequest' as const, value: request } };
    this.say(seqno, { case: 'clientChunk', value: chunk });
  }

  answer(seqno: number, value: ClientSideToolV2Result): void {
    this.say(seqno, { case: 'clientChunk', value: { request: { case: 'clientSideToolV2Result', value } } });
  }

  get received() {
    return this.channel.sent.map((bytes) => fromBinary(ResponseSchema, bytes).response);
  }

  get kinds(): string[] {
    return this.received.map((response) => {
      if (response.case === 'seqnoAck') return `ack ${response.value}`;
      return response.case === 'serverChunk' ? `event ${response.value.eventId}` : (response.case ?? '');
    });
  }

  get events(): string[] {
    return this.received.flatMap((one) => (one.case === 'serverChunk' ? [one.value.eventId] : []));
  }

  get calls() {
    return this.received.flatMap((one) =>
      one.case === 'serverChunk' && one.value.response.case === 'clientSideToolV2Call'
        ? [one.value.response.value]
        : [],
    );
  }

  get text(): string {
    return this.received
      .map((one) =>
        one.case === 'serverChunk' && one.value.response.case === 'streamUnifiedChatResponse'
          ? one.value.response.value.text
          : '',
      )
      .join('');
  }
}

function open(steps: readonly ScriptedStep[]) {
  const timers = new ManualTimers();
  const host = new ScriptedHost({ messages, tools, steps });
  return { timers, host, front: createCursorAiserverFront(host, { timers }) };
}

const TOOL_RUN: readonly ScriptedStep[] = [
  { text: 'Reading. ', calls: [{ id: 'c1', name: 'read_file', args: { path: 'a' } }] },
  { text: 'Done.' },
];
const RESULT = encodeClientSideResult({
  callId: 'c1',
  name: 'read_file',
  number: 40,
  outcome: succeed('text'),
}).message;

describe('an idempotent stream', () => {
  it('welcomes, acknowledges every message and numbers its events from 1', async () => {
    const { front } = open(TOOL_RUN);
    const connection = new Connection(front, 'k');
    connection.ask();
    await settle();
    connection.answer(1, RESULT);
    await connection.done;
    expect(connection.kinds[0]).toBe('welcomeMessage');
    expect(connection.kinds.filter((kind) => kind.startsWith('ack'))).toEqual(['ack 0', 'ack 1']);
    expect(connection.events).toEqual(connection.events.map((_, index) => String(index + 1)));
    expect(connection.text).toBe('Reading. Done.');
  });

  it('works over appended messages too', async () => {
    const { front } = open([{ text: 'Hello.' }]);
    const connection = new Connection(front, 'k', '0', 'StreamUnifiedChatWithToolsIdempotentSSE');
    connection.ask(1);
    await connection.done;
    expect(connection.text).toBe('Hello.');
  });

  it('goes on after a cut, from the event that the client names, and runs nothing twice', async () => {
    const { front, host } = open(TOOL_RUN);
    const first = new Connection(front, 'k');
    first.ask();
    await settle();
    const seen = first.events.length;
    for (let kept = 0; kept <= seen; kept++) {
      first.channel.cut();
      await settle();
      const back = new Connection(front, 'k', String(kept));
      back.ask(); // not acknowledged, as far as the client knows
      await settle();
      expect(back.events[0] ?? String(kept + 1)).toBe(String(kept + 1));
      expect(back.kinds).toContain('ack 0');
      if (kept < seen) back.channel.cut();
      else {
        back.answer(1, RESULT);
        back.answer(1, RESULT);
        await back.done;
        expect(back.text).toBe('Done.');
        expect(back.calls).toEqual([]);
      }
    }
    expect(host.runs).toHaveLength(1);
    expect(host.results).toHaveLength(1);
  });

  it('gives the whole answer again to a client that lost it, for a while', async () => {
    const { front, timers, host } = open([{ text: 'Hello.' }]);
    const first = new Connection(front, 'k');
    first.ask();
    await first.done;
    const again = new Connection(front, 'k');
    await again.done;
    expect(again.text).toBe('Hello.');
    await timers.advance(60_001);
    const late = new Connection(front, 'k');
    late.channel.close();
    await expect(late.done).rejects.toMatchObject({ code: 'invalid-request' });
    expect(host.runs).toHaveLength(1);
  });

  it('ends with the error of its run, also for a client that comes back', async () => {
    const error = new GatewayError('upstream-unavailable', 'The model is away.');
    const host = new ScriptedHost({ messages, end: { type: 'run-error', error, usage: NO_USAGE } });
    const front = createCursorAiserverFront(host, { timers: new ManualTimers() });
    const first = new Connection(front, 'k');
    first.ask();
    await expect(first.done).rejects.toMatchObject({ code: 'upstream-unavailable' });
    await expect(new Connection(front, 'k').done).rejects.toMatchObject({ code: 'upstream-unavailable' });
    expect(host.runs).toHaveLength(1);
  });

  it('refuses a result as the first message, whenever it comes', async () => {
    const { front } = open([]);
    for (let attempt = 0; attempt < 2; attempt++) {
      const bad = new Connection(front, 'k');
      bad.answer(0, RESULT);
      await expect(bad.done).rejects.toMatchObject({ code: 'invalid-request' });
    }
  });

  it('stops a run whose client stays away', async () => {
    const { front, host, timers } = open(TOOL_RUN);
    const connection = new Connection(front, 'k');
    connection.ask();
    await settle();
    connection.channel.cut();
    await settle();
    await timers.advance(119_000);
    expect(host.runs[0]?.signal.aborted).toBe(false);
    await timers.advance(2_000);
    expect(host.runs[0]?.signal.aborted).toBe(true);
  });

  it('stops a run that its client calls off', async () => {
    const { front, host } = open(TOOL_RUN);
    const connection = new Connection(front, 'k');
    connection.ask();
    await settle();
    connection.say(1, { case: 'abort', value: {} });
    await connection.done;
    expect(host.runs[0]?.signal.aborted).toBe(true);
  });

  it('hands its calls over to a client that closes, and ends well', async () => {
    const { front, host } = open(TOOL_RUN);
    const connection = new Connection(front, 'k');
    connection.ask();
    connection.say(1, { case: 'close', value: {} });
    await connection.done;
    expect(connection.calls).toHaveLength(1);
    expect(host.runs[0]?.signal.aborted).toBe(true);
  });

  it('is another run for another key, and for another owner of the same key', async () => {
    const { front, host } = open([{ text: 'Hello.' }]);
    const one = new Connection(front, 'k');
    one.ask();
    await one.done;
    const other = new Connection(front, 'l');
    other.ask();
    await other.done;
    const method = front.streams.find(({ path }) => path.endsWith('Idempotent'));
    const channel = new MemoryChannel();
    const context = { ...testContext({ 'x-idempotency-key': 'k' }), owner: 'somebody else' };
    const opened = method?.open(channel, context);
    channel.close();
    await expect(opened).rejects.toMatchObject({ code: 'invalid-request' });
    expect(host.runs).toHaveLength(2);
  });

  it('leaves an earlier connection when the client opens a second one', async () => {
    const { front, host } = open(TOOL_RUN);
    const first = new Connection(front, 'k');
    first.ask();
    await settle();
    const second = new Connection(front, 'k', '0');
    await first.done;
    second.answer(1, RESULT);
    await second.done;
    expect(second.text).toBe('Reading. Done.');
    expect(host.runs).toHaveLength(1);
  });

  it('begins anew for a client whose first message was lost with its connection', async () => {
    const { front, host } = open([{ text: 'Hello.' }]);
    const first = new Connection(front, 'k');
    await settle();
    first.channel.cut();
    await settle();
    const second = new Connection(front, 'k');
    second.ask();
    await second.done;
    expect(second.text).toBe('Hello.');
    expect(host.runs).toHaveLength(1);
  });

  it('waits for the first message on a second connection while the first one ends late or breaks', async () => {
    for (const end of [
      (channel: MemoryChannel) => channel.close(),
      (channel: MemoryChannel) => channel.push(new Error('half a frame')),
    ]) {
      const { front } = open([{ text: 'Hello.' }]);
      const first = new Connection(front, 'k');
      await settle();
      const second = new Connection(front, 'k');
      await settle();
      end(first.channel);
      await settle();
      second.ask();
      await second.done;
      expect(second.text).toBe('Hello.');
    }
  });

  it('survives a message that broke off with its connection', async () => {
    const { front, host } = open(TOOL_RUN);
    const first = new Connection(front, 'k');
    first.ask();
    await settle();
    first.channel.push(new GatewayError('invalid-request', 'half a frame'));
    await expect(first.done).rejects.toMatchObject({ code: 'invalid-request' });
    const second = new Connection(front, 'k', first.events.at(-1) ?? '');
    second.answer(1, RESULT);
    await second.done;
    expect(second.text).toBe('Done.');
    expect(host.runs).toHaveLength(1);
  });

  it('numbers on where the client stands when the run is not known any more', async () => {
    const { front } = open([{ text: 'Hello.' }]);
    const connection = new Connection(front, 'k', '41');
    connection.ask(3);
    await connection.done;
    expect(connection.events[0]).toBe('42');
  });

  it('says so when what the client lacks is not kept any more', async () => {
    const { front } = open([{ text: 'x'.repeat(900_000) }, { text: 'y'.repeat(900_000) }]);
    const connection = new Connection(front, 'k');
    connection.ask();
    await connection.done;
    await expect(new Connection(front, 'k', '1').done).rejects.toMatchObject({ code: 'conflict' });
  });

  it('says something in a silence that no event number counts', async () => {
    const { front, timers } = open(TOOL_RUN);
    const connection = new Connection(front, 'k');
    connection.ask();
    await settle();
    const before = connection.kinds.length;
    await timers.advance(10_001);
    expect(connection.kinds.slice(before)).toEqual(['event ']);
    connection.channel.cut();
  });
});

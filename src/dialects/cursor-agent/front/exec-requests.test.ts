import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { countingIds } from '../../../core/index.ts';
import { ReadArgsSchema } from '../../../gen/agent/v1/exec_files_pb.ts';
import {
  ExecClientControlMessageSchema,
  ExecClientMessageSchema,
  type ExecServerMessage,
} from '../../../gen/agent/v1/exec_pb.ts';
import { ShellArgsSchema } from '../../../gen/agent/v1/exec_shell_pb.ts';
import { AgentServerMessageSchema } from '../../../gen/agent/v1/run_pb.ts';
import type { ExecArgs, ExecResult } from '../../../native/remote-port.ts';
import { ManualTimers } from '../fixtures/manual-timers.ts';
import { ExecRequests } from './exec-requests.ts';
import { MemoryChannel } from './fixtures/memory-channel.ts';
import { createOutbox } from './outbox.ts';

let sent: ExecServerMessage[];
let aborted: number[];
let drift: string[];
let requests: ExecRequests;

beforeEach(() => {
  sent = [];
  aborted = [];
  drift = [];
  const channel = new MemoryChannel();
  channel.onSend = (bytes) => {
    const { message } = fromBinary(AgentServerMessageSchema, bytes);
    if (message.case === 'execServerMessage') sent.push(message.value);
    if (message.case === 'execServerControlMessage' && message.value.message.case === 'abort') {
      aborted.push(message.value.message.value.id);
    }
  };
  const outbox = createOutbox(channel, new ManualTimers(), () => {});
  requests = new ExecRequests({ outbox, newId: countingIds(), onDrift: (kind) => drift.push(kind) });
});

const never = new AbortController().signal;
const read: ExecArgs = { case: 'readArgs', value: create(ReadArgsSchema, { path: 'a' }) };
const shell: ExecArgs = { case: 'shellStreamArgs', value: create(ShellArgsSchema, { command: 'ls' }) };

function answer(init: MessageInitShape<typeof ExecClientMessageSchema>): void {
  requests.receive(create(ExecClientMessageSchema, init));
}
function control(
  message: NonNullable<MessageInitShape<typeof ExecClientControlMessageSchema>['message']>,
): void {
  requests.receiveControl(create(ExecClientControlMessageSchema, { message }));
}
const readResult = { case: 'readResult' as const, value: {} };

describe('execs', () => {
  it('are answered in any order, by id or by exec id', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
        fc.boolean(),
        async (order, byId) => {
          const first = sent.length;
          const results = order.map(() => requests.request(read, { signal: never }));
          const asked = sent.slice(first);
          for (const index of order) {
            const { id = 0, execId = '' } = asked[index] ?? {};
            const message = {
              case: 'readResult' as const,
              value: { result: { case: 'error' as const, value: { path: `${id}` } } },
            };
            answer(byId ? { id, message } : { execId, message });
          }
          const ids = (await Promise.all(results)).map(
            (result) => result.case === 'readResult' && result.value.result.value?.path,
          );
          expect(ids).toEqual(asked.map(({ id }) => `${id}`));
          expect(new Set(sent.map(({ id }) => id)).size).toBe(sent.length);
          expect(new Set(sent.map(({ execId }) => execId)).size).toBe(sent.length);
        },
      ),
    );
  });

  it('are not answered by a close that comes before the result', async () => {
    const result = requests.request(read, { signal: never });
    control({ case: 'streamClose', value: { id: 1 } });
    control({ case: 'heartbeat', value: { id: 1 } });
    answer({ id: 1, message: readResult });
    expect(await result).toMatchObject({ case: 'readResult' });
    control({ case: 'streamClose', value: { id: 1 } });
    answer({ id: 1, message: readResult });
    expect(drift).toEqual([]);
  });

  it('that stream hand over every message and end with the last', async () => {
    const seen: ExecResult[] = [];
    const result = requests.request(shell, { signal: never, onMessage: (message) => seen.push(message) });
    const event = (event_: object) =>
      answer({ id: 1, message: { case: 'shellStream', value: { event: event_ } as never } });
    event({ case: 'start', value: {} });
    event({ case: 'stdout', value: { data: 'a' } });
    event({ case: 'exit', value: { code: 3 } });
    expect(await result).toMatchObject({
      case: 'shellStream',
      value: { event: { case: 'exit', value: { code: 3 } } },
    });
    expect(seen).toHaveLength(3);
  });

  it('that stream end with what came when the client only closes them', async () => {
    const half = requests.request(shell, { signal: never });
    answer({
      id: 1,
      message: { case: 'shellStream', value: { event: { case: 'stdout', value: { data: 'a' } } } },
    });
    control({ case: 'streamClose', value: { id: 1 } });
    expect(await half).toMatchObject({ value: { event: { case: 'stdout' } } });
    const nothing = requests.request(shell, { signal: never });
    control({ case: 'streamClose', value: { id: 2 } });
    await expect(nothing).rejects.toMatchObject({ code: 'upstream-rejected' });
  });

  it('that the client throws at say so, apart from a client that is gone', async () => {
    const thrown = requests.request(read, { signal: never });
    control({ case: 'throw', value: { id: 1, error: 'no such kind' } });
    await expect(thrown).rejects.toMatchObject({
      code: 'upstream-rejected',
      message: 'The exec read failed in the client: no such kind',
      detail: { reason: 'client_threw' },
    });
    const lost = requests.request(read, { signal: never });
    requests.fail();
    await expect(lost).rejects.toMatchObject({ code: 'cancelled' });
    await expect(requests.request(read, { signal: never })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('that are called off are aborted at the client, and a late answer is no news', async () => {
    const controller = new AbortController();
    const result = requests.request(read, { signal: controller.signal });
    controller.abort();
    await expect(result).rejects.toMatchObject({
      code: 'cancelled',
      message: 'The exec read was called off.',
    });
    expect(aborted).toEqual([1]);
    answer({ id: 1, message: readResult });
    expect(drift).toEqual([]);
    await expect(requests.request(read, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    expect(sent).toHaveLength(1);
  });

  it('that nobody asked for are counted', () => {
    answer({ id: 9, message: readResult });
    expect(drift).toEqual(['exec_client_message for an exec that was never sent']);
  });

  it('answered with nothing have nothing as their result', async () => {
    const result = requests.request(read, { signal: never });
    answer({ id: 1 });
    expect(await result).toEqual({ case: undefined });
  });
});

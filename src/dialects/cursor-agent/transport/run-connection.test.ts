import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { clientMessage, ManualTimers, runRequest } from '../../../../test/support/agent-backend/index.ts';
import { GatewayError } from '../../../core/index.ts';
import {
  AgentClientMessageSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
} from '../../../gen/agent/v1/run_pb.ts';
import { encodeEndStream } from '../../../wire/connect-end-stream.ts';
import { encodeEnvelope } from '../../../wire/connect-envelope.ts';
import type { RunChannel } from './run-channel.ts';
import { RunConnection } from './run-connection.ts';

/** A channel whose every move a test makes itself. */
function fakeChannel(chunks: AsyncIterable<Uint8Array>) {
  const written: (string | undefined)[] = [];
  const state = { isFinished: false, isAborted: false, write: () => Promise.resolve() };
  const channel: RunChannel = {
    upstream: 'Upstream u',
    head: Promise.resolve({ status: 200, headers: {} }),
    body: chunks,
    write: (bytes) => {
      written.push(fromBinary(AgentClientMessageSchema, bytes).message.case);
      return state.write();
    },
    finish: () => {
      state.isFinished = true;
    },
    abort: () => {
      state.isAborted = true;
    },
  };
  return { channel, state, written };
}

async function* pieces(...bytes: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* bytes;
}

const EMPTY = encodeEnvelope(
  toBinary(AgentServerMessageSchema, {
    $typeName: 'agent.v1.AgentServerMessage',
    message: { case: undefined },
  }),
);

function connect(chunks: AsyncIterable<Uint8Array>, signal = new AbortController().signal) {
  const timers = new ManualTimers();
  const fake = fakeChannel(chunks);
  const connection = new RunConnection(fake.channel, { timers, signal, idleMs: 120_000 });
  return { ...fake, timers, connection };
}

async function readAll(connection: RunConnection): Promise<AgentServerMessage[]> {
  const all: AgentServerMessage[] = [];
  for await (const message of connection.messages) all.push(message);
  return all;
}

describe('a run connection', () => {
  it('beats every 5 s, from its first message to its end', async () => {
    const { timers, connection, written } = connect(pieces());
    timers.advance(60_000);
    expect(written).toEqual([]);
    await connection.send(runRequest());
    timers.advance(4_999);
    expect(written).toEqual(['runRequest']);
    timers.advance(1);
    await Promise.resolve();
    expect(written).toEqual(['runRequest', 'clientHeartbeat']);
    connection.close();
    timers.advance(60_000);
    expect(written).toHaveLength(2);
    expect(timers.pending).toBe(0);
  });

  it('sends no second beat while the first is stuck', async () => {
    const { timers, connection, written, state } = connect(pieces());
    await connection.send(runRequest());
    state.write = () => new Promise(() => {});
    timers.advance(30_000);
    expect(written).toEqual(['runRequest', 'clientHeartbeat']);
  });

  it('finishes, and does not abort, after the end-of-stream frame', async () => {
    const { connection, state, timers } = connect(pieces(EMPTY, encodeEndStream()));
    expect(await readAll(connection)).toHaveLength(1);
    expect(state).toMatchObject({ isFinished: true, isAborted: false });
    expect(timers.pending).toBe(0);
    await expect(connection.send(runRequest())).rejects.toMatchObject({ message: /has ended/ });
  });

  it('gives up on a server that takes nothing', async () => {
    const { connection, state, timers } = connect(pieces());
    state.write = () => new Promise(() => {});
    void connection.send(runRequest());
    timers.advance(119_999);
    expect(state.isAborted).toBe(false);
    timers.advance(1);
    expect(state.isAborted).toBe(true);
    await expect(connection.send(runRequest())).rejects.toMatchObject({
      message: /took no data for 120000 ms/,
    });
  });

  it("lets the server's own word win over a failed write", async () => {
    let say = (_bytes: Uint8Array) => {};
    const said = new Promise<Uint8Array>((resolve) => {
      say = resolve;
    });
    const late = (async function* () {
      yield await said;
    })();
    const { connection, state } = connect(late);
    const reading = readAll(connection);
    state.write = () => Promise.reject(new GatewayError('upstream-unavailable', 'cut'));
    await expect(connection.send(runRequest())).rejects.toThrow('cut');
    say(encodeEndStream({ code: 'unauthenticated', message: 'Expired', details: [] }));
    await expect(reading).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(connection.send(runRequest())).rejects.toMatchObject({ code: 'unauthenticated' });
  });

  it('ends with a failed write when the server says nothing more', async () => {
    const { connection, state, timers } = connect(pieces());
    state.write = () => Promise.reject(new GatewayError('upstream-unavailable', 'cut'));
    await expect(connection.send(clientMessage(undefined))).rejects.toThrow('cut');
    expect(state.isAborted).toBe(false);
    timers.advance(500);
    expect(state.isAborted).toBe(true);
  });

  it('refuses a frame that is no message', async () => {
    const { connection } = connect(pieces(encodeEnvelope(new Uint8Array([0xff, 0xff]))));
    await expect(readAll(connection)).rejects.toMatchObject({
      code: 'upstream-malformed',
      message: /frame \(number 1, 2 bytes\) that is no agent message/,
    });
  });

  it('says where a frame was broken off', async () => {
    const { connection } = connect(pieces(EMPTY, new Uint8Array([0, 0, 0])));
    await expect(readAll(connection)).rejects.toMatchObject({
      code: 'upstream-unavailable',
      message: /in the middle of frame 2, after 1 frames/,
      detail: { reason: 'run_cut' },
    });
  });

  it('stops handing on frames once the turn is cancelled', async () => {
    const controller = new AbortController();
    const { connection, state } = connect(pieces(Buffer.concat([EMPTY, EMPTY])), controller.signal);
    const messages = connection.messages[Symbol.asyncIterator]();
    await messages.next();
    controller.abort();
    expect(state.isAborted).toBe(true);
    await expect(messages.next()).rejects.toMatchObject({ code: 'cancelled' });
  });
});

import { EventEmitter, once } from 'node:events';
import http2 from 'node:http2';
import { describe, expect, test, vi } from 'vitest';
import { omitUndefined } from '../core/index.ts';
import { callHttp1, callHttp2, connectRaw } from './fixtures/clients.ts';
import { deferred, serve } from './fixtures/serve.ts';
import { type AnyResponse, StreamWriter } from './stream-writer.ts';

/** A response that records its writes and has room when told. */
class FakeResponse extends EventEmitter {
  readonly writes: string[] = [];
  headersSent = false;
  hasRoom = true;
  destroy = vi.fn(() => this.emit('close'));
  flushHeaders() {
    this.headersSent = true;
  }
  write(data: string | Uint8Array): boolean {
    this.headersSent = true;
    this.writes.push(Buffer.from(data).toString());
    return this.hasRoom;
  }
  end(data?: string) {
    this.writes.push(`${data ?? ''}<end>`);
  }
}

function open(stallMs?: number) {
  const response = new FakeResponse();
  return {
    response,
    writer: new StreamWriter(response as unknown as AnyResponse, omitUndefined({ stallMs })),
  }; // the part that is used
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

describe('StreamWriter', () => {
  test('joins what is written in one turn of the loop, text and bytes in order', async () => {
    const { response, writer } = open();
    await writer.write('a');
    await writer.write(new TextEncoder().encode('é'));
    await writer.write('c');
    expect(response.writes).toEqual([]);
    await nextTurn();
    expect(response.writes).toEqual(['aéc']);
    await writer.write('d');
    await nextTurn();
    expect(response.writes).toEqual(['aéc', 'd']);
  });

  test('sends the head in the same turn even when nothing is written', async () => {
    const { response } = open();
    await nextTurn();
    expect(response.headersSent).toBe(true);
    expect(response.writes).toEqual([]);
  });

  test('does not gather more than its bound', () => {
    const { response, writer } = open();
    for (let index = 0; index < 9; index++) void writer.write('x'.repeat(16 * 1024));
    expect(response.writes).toHaveLength(2);
  });

  test('waits for the reader when there is no room, and goes on when there is', async () => {
    const { response, writer } = open();
    response.hasRoom = false;
    await writer.write('a');
    await nextTurn();
    let isReleased = false;
    const waiting = writer.write('b').then((isOpen) => {
      isReleased = true;
      return isOpen;
    });
    await nextTurn();
    expect(isReleased).toBe(false);
    response.hasRoom = true;
    response.emit('drain');
    expect(await waiting).toBe(true);
    expect(response.writes.join('')).toBe('ab');
  });

  test('lets a waiting writer go with false when the client leaves, and stays closed', async () => {
    const { response, writer } = open();
    response.hasRoom = false;
    void writer.write('a');
    await nextTurn();
    const waiting = writer.write('b');
    response.emit('close');
    expect(await waiting).toBe(false);
    expect(writer.isClosed).toBe(true);
    expect(await writer.write('c')).toBe(false);
    writer.end();
    expect(response.writes.join('')).not.toContain('<end>');
  });

  test('gives up a reader that takes nothing for too long', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { response, writer } = open(1_000);
      response.hasRoom = false;
      void writer.write('a');
      await nextTurn();
      vi.advanceTimersByTime(999);
      expect(response.destroy).not.toHaveBeenCalled();
      vi.advanceTimersByTime(1);
      expect(response.destroy).toHaveBeenCalledOnce();
      expect(writer.isClosed).toBe(true);
    } finally {
      vi.useRealTimers();
    }
  });

  test('ends with what is pending, once', async () => {
    const { response, writer } = open();
    void writer.write('a');
    void writer.write('b');
    writer.end();
    writer.end();
    await nextTurn();
    expect(response.writes).toEqual(['ab<end>']);
    expect(await writer.write('c')).toBe(false);
  });

  test('opened after the client has left it is closed from the start', async () => {
    const outcome = deferred<unknown>();
    const { port } = await serve(async (exchange) => {
      await once(exchange.signal, 'abort');
      const writer = exchange.openStream(200);
      outcome.resolve([writer.isClosed, await writer.write('x'.repeat(100_000)), exchange.hasAnswered]);
    });
    const client = await connectRaw(port);
    client.socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    client.socket.end();
    expect(await outcome.promise).toEqual([true, false, false]);
  });

  test.each([
    ['HTTP/1.1', callHttp1],
    ['HTTP/2', callHttp2],
  ] as const)('streams over %s', async (_name, call) => {
    const { url } = await serve(async (exchange) => {
      const writer = exchange.openStream(200, { 'content-type': 'text/event-stream' });
      for (let index = 0; index < 3; index++) await writer.write(`data: ${index}\n\n`);
      writer.end();
    });
    const reply = await call(url);
    expect(reply.body).toBe('data: 0\n\ndata: 1\n\ndata: 2\n\n');
    expect(reply.headers['content-type']).toBe('text/event-stream');
  });

  test.each(['HTTP/1.1', 'HTTP/2'] as const)(
    'holds a fast writer back to the pace of a slow reader (%s)',
    async (protocol) => {
      const total = 200;
      const chunk = Buffer.alloc(256 * 1024, 'x');
      let written = 0;
      const finished = deferred<void>();
      const { url, port } = await serve(async (exchange) => {
        const writer = exchange.openStream(200);
        for (; written < total; written++) await writer.write(chunk);
        writer.end();
        finished.resolve();
      });
      const reader = protocol === 'HTTP/1.1' ? await slowHttp1(port) : await slowHttp2(url);
      // The writer has stopped when many turns of the loop bring nothing new.
      for (let before = -1, still = 0; still < 200; still = written === before ? still + 1 : 0) {
        before = written;
        await nextTurn();
      }
      expect(written).toBeLessThan(total);
      reader.resume();
      await finished.promise;
      expect(written).toBe(total);
      reader.close();
    },
  );
});

async function slowHttp1(port: number) {
  const { socket } = await connectRaw(port);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return { resume: () => socket.resume(), close: () => socket.destroy() };
}

async function slowHttp2(url: string) {
  const session = http2.connect(url);
  const stream = session.request({ ':path': '/' });
  await once(stream, 'response');
  return { resume: () => stream.resume(), close: () => session.destroy() };
}

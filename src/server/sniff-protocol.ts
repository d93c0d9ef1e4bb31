// Tells HTTP/2 with prior knowledge (RFC 9113, section 3.4: the preface begins "PRI") from HTTP/1.1 by its first bytes.
// No HTTP/1.1 method that anybody uses begins with those three letters.
import type { Socket } from 'node:net';

const PREFACE = Buffer.from('PRI');

export interface SniffOptions {
  /** A socket that says nothing for this long is closed. */
  readonly timeoutMs: number;
  readonly onHttp1: (socket: Socket) => void;
  readonly onHttp2: (socket: Socket) => void;
}

export function sniffProtocol(socket: Socket, options: SniffOptions): void {
  let head: Buffer = Buffer.alloc(0);
  const destroy = () => {
    stop();
    socket.destroy();
  };
  const timer = setTimeout(destroy, options.timeoutMs);

  function onReadable(): void {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    head = Buffer.concat([head, chunk]);
    const length = Math.min(head.length, PREFACE.length);
    const isPrefix = head.subarray(0, length).equals(PREFACE.subarray(0, length));
    if (isPrefix && head.length < PREFACE.length) return;
    stop();
    socket.unshift(head);
    if (isPrefix) options.onHttp2(socket);
    else options.onHttp1(socket);
  }

  function stop(): void {
    clearTimeout(timer);
    socket.off('readable', onReadable).off('error', destroy).off('end', destroy).off('close', stop);
  }

  socket.on('readable', onReadable).on('error', destroy).on('end', destroy).on('close', stop);
}

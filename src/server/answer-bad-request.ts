import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

const ANSWERS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are larger than the 32 KB allowed here.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions of the request body are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

const MALFORMED = [400, 'This is not a valid HTTP request.'] as const;

/** Answers bytes that Node's parser refused, where an answer can still be told from one already under way. */
export function answerBadRequest(socket: Socket, errorCode: string | undefined, isBusy: boolean): void {
  if (!socket.writable || isBusy || errorCode === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = ANSWERS[errorCode ?? ''] ?? MALFORMED;
  const body = JSON.stringify({ error: { code: 'invalid-request', message } });
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nconnection: close\r\ncontent-type: application/json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  // The refused client may never close its side; once our answer is out there is nothing left to wait for.
  socket.once('finish', () => socket.destroySoon());
}

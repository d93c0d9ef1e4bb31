// The account endpoints of an agent backend on loopback, answering by script and remembering what was asked.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface AuthRequest {
  /** `POST /auth/refresh`, without the query. */
  readonly target: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface AuthReply {
  readonly status?: number;
  readonly json?: unknown;
  readonly bytes?: Uint8Array;
  /** The answer waits for it. */
  readonly after?: Promise<unknown>;
}

export type AuthAnswer = AuthReply | ((request: AuthRequest) => AuthReply);

export interface AuthServer {
  readonly baseUrl: string;
  readonly host: string;
  readonly requests: AuthRequest[];
  /** What has been asked, in order, without the noise. */
  targets(): string[];
  /** Changes the answers from now on; what has none is answered 404. */
  answer(target: string, answer: AuthAnswer): void;
  close(): Promise<void>;
}

export async function startAuthServer(
  answers: Readonly<Record<string, AuthAnswer>> = {},
): Promise<AuthServer> {
  const script = new Map(Object.entries(answers));
  const requests: AuthRequest[] = [];
  const server = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://loopback');
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request: AuthRequest = {
      target: `${incoming.method} ${url.pathname}`,
      query: url.searchParams,
      headers: incoming.headers,
      body: Buffer.concat(chunks).toString(),
    };
    requests.push(request);
    const scripted = script.get(request.target) ?? { status: 404, json: { message: 'not found' } };
    const reply = typeof scripted === 'function' ? scripted(request) : scripted;
    await reply.after;
    outgoing.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
    outgoing.end(reply.bytes ?? JSON.stringify(reply.json ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server has one
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    requests,
    targets: () => requests.map(({ target }) => target),
    answer: (target, answer) => void script.set(target, answer),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A token as Cursor's look: signed by nobody, good until the given time. */
export function makeToken(expiresAtMs: number, subject = 'auth0|user_1'): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: subject, exp: Math.floor(expiresAtMs / 1000), type: 'session' };
  return `${part({ alg: 'HS256' })}.${part(claims)}.c2lnbmF0dXJl`;
}

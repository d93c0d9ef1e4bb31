import { GatewayError, randomId, type TurnRequest, type TurnResult } from '../../src/core/index.ts';
import type { Front, FrontRequest, FrontServices } from '../../src/dialects/dialect.ts';

/** The way of a body through a front, as the server takes it; documents that do not exist are not found. */
export async function decodeBody(front: Front, body: Uint8Array): Promise<TurnRequest> {
  const received: FrontRequest = {
    method: 'POST',
    path: front.turnPaths[0] ?? '/',
    query: new URLSearchParams(),
    headers: { 'content-type': 'application/json' },
    body,
  };
  const prepared = await front.prepare?.(received, SERVICES);
  const request = front.decodeRequest(prepared?.request ?? received);
  return prepared?.complete?.(request) ?? request;
}

const SERVICES: FrontServices = {
  documents: {
    get: async () => undefined,
    put: async () => {},
    delete: async () => false,
  },
  newId: randomId,
  nowMs: 0,
  runTurn: async (): Promise<TurnResult> => ({ content: [], finishReason: 'stop', warnings: [], opaque: [] }),
  countTokens: async () => undefined,
};

/** What is wrong with how a front refused a body; undefined when it did so well. */
export function findBadRefusal(front: Front, thrown: unknown): string | undefined {
  if (!(thrown instanceof GatewayError))
    return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  const { status } = front.encodeError(thrown);
  if (status < 400 || status > 499) return `status ${status}: ${thrown.stack}`;
  if (thrown.message === '') return `no message: ${thrown.stack}`;
  if (thrown.message.length > MAX_MESSAGE)
    return `a message of ${thrown.message.length} characters: ${thrown.stack}`;
  return undefined;
}

/** A refusal names the value at fault; it does not send the whole of it back. */
const MAX_MESSAGE = 1000;

import {
  listGateways,
  type RunningGateway,
  readAdminToken,
  type StatePaths,
  statePaths,
} from '../config/index.ts';
import { ERROR_CODES, type ErrorCode, GatewayError, isJsonObject } from '../core/index.ts';
import type { CliContext } from './context.ts';

const TIMEOUT_MS = 10_000;

/** The admin API of a gateway that runs, with the token of this machine's state folder. */
export interface AdminClient {
  readonly gateway: RunningGateway;
  readonly token: string;
  get(path: string): Promise<unknown>;
  post(path: string, body: unknown): Promise<unknown>;
  delete(path: string): Promise<unknown>;
}

/** The newest gateway that runs here and has written itself down, or undefined. */
export async function findAdminClient(context: CliContext): Promise<AdminClient | undefined> {
  const paths = statePaths(context);
  const [newest] = (await listGateways(paths, context.isAlive)).toReversed();
  return newest && adminClient(context, paths, newest);
}

/** One client for each running gateway, oldest first. */
export async function findAdminClients(context: CliContext): Promise<AdminClient[]> {
  const paths = statePaths(context);
  const gateways = await listGateways(paths, context.isAlive);
  return Promise.all(gateways.map((gateway) => adminClient(context, paths, gateway)));
}

async function adminClient(
  context: CliContext,
  paths: StatePaths,
  gateway: RunningGateway,
): Promise<AdminClient> {
  const token = await readAdminToken(paths);
  if (token === undefined) {
    throw new GatewayError(
      'internal',
      `A gateway runs at ${gateway.url}, but its admin token ${paths.adminToken} is gone. Start the gateway again.`,
    );
  }
  const call = (method: string, path: string, body?: unknown) =>
    request(context, { gateway, token, method, path, body });
  return {
    gateway,
    token,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    delete: (path) => call('DELETE', path),
  };
}

interface AdminCall {
  readonly gateway: RunningGateway;
  readonly token: string;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

async function request(
  context: CliContext,
  { gateway, token, method, path, body }: AdminCall,
): Promise<unknown> {
  const response = await context
    .fetch(new URL(path, gateway.url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    .catch((error: unknown) => {
      throw new GatewayError(
        'internal',
        `The gateway at ${gateway.url} (process ${gateway.pid}) does not answer: ${rootMessage(error)}.`,
        { cause: error },
      );
    });
  const text = await response.text();
  const answer = parseJson(text);
  if (response.ok) return answer;
  throw decodeError(answer, response.status, `${method} ${path}`);
}

function parseJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decodeError(answer: unknown, status: number, what: string): GatewayError {
  const error = isJsonObject(answer) && isJsonObject(answer.error) ? answer.error : undefined;
  const code: ErrorCode = ERROR_CODES.find((known) => known === error?.code) ?? 'internal';
  const message =
    typeof error?.message === 'string' ? error.message : `${what} was answered with status ${status}.`;
  return new GatewayError(code, message);
}

/** fetch says only "fetch failed"; what happened is in the cause. */
export function rootMessage(thrown: unknown): string {
  let current = thrown;
  for (let depth = 0; depth < 8 && current instanceof Error && current.cause instanceof Error; depth++) {
    current = current.cause;
  }
  return current instanceof Error ? current.message || current.name : String(current);
}

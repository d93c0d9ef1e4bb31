// Everything that can go wrong with a server, as a code and a sentence. Messages of servers are a stranger's words and
// may hold what they were sent: they go through the redactor and are cut.
import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { type FailureCode, fail, type ToolFailure } from '../tools/tool-outcome.ts';
import { showText } from './show-text.ts';

export class McpFault extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'McpFault';
    this.code = code;
  }

  toFailure(): ToolFailure {
    return fail(this.code, this.message);
  }
}

export interface FaultPlace {
  readonly server: string;
  readonly signal?: AbortSignal;
  /** How its program ended and what it said last. */
  readonly report?: { readonly exit?: string; readonly stderr: string } | undefined;
  redact(text: string): string;
}

const MAX_WORDS = 1_000;

export function toFault(thrown: unknown, place: FaultPlace): McpFault {
  if (thrown instanceof McpFault) return thrown;
  const { server } = place;
  const options = { cause: thrown };
  if (place.signal?.aborted) {
    const { reason } = place.signal;
    return reason instanceof McpFault
      ? reason
      : new McpFault('ECANCELED', `The call to ${server} was cancelled.`);
  }
  if (needsSignIn(thrown))
    return new McpFault(
      'EACCES',
      `${server} wants the user to sign in. Use mcp_auth with this server, then try again.`,
      options,
    );
  const words = wordsOf(thrown, place);
  if (SdkError.isInstance(thrown) && thrown.code === SdkErrorCode.RequestTimeout)
    return new McpFault('ETIMEDOUT', `${server} did not answer in time.${ending(place)}`, options);
  if (SdkHttpError.isInstance(thrown))
    return new McpFault(
      'UNAVAILABLE',
      `${server} answered with HTTP status ${thrown.status}: ${words}`,
      options,
    );
  if (ProtocolError.isInstance(thrown)) {
    const code = PROTOCOL_CODES[thrown.code] ?? 'FAILED';
    return new McpFault(code, `${server} refused: ${words} (JSON-RPC error ${thrown.code})`, options);
  }
  if (thrown instanceof Error && /^spawn .* ENOENT$/.test(thrown.message))
    return new McpFault(
      'UNAVAILABLE',
      `The program of the MCP server ${server} was not found (${words}); check command and cwd in its definition.`,
      options,
    );
  if (SdkError.isInstance(thrown) && thrown.code === SdkErrorCode.InvalidResult)
    return new McpFault('FAILED', `${server} gave a malformed answer: ${words}`, options);
  return new McpFault(
    'UNAVAILABLE',
    `The MCP server ${server} cannot be reached: ${words}.${ending(place)}`,
    options,
  );
}

const PROTOCOL_CODES: Readonly<Record<number, FailureCode>> = {
  [-32602]: 'EINVAL',
  [-32601]: 'ENOSYS',
  [-32002]: 'ENOENT', // resource not found
};

export function needsSignIn(thrown: unknown): boolean {
  return (
    UnauthorizedError.isInstance(thrown) ||
    (SdkHttpError.isInstance(thrown) &&
      (thrown.status === 401 || thrown.code === SdkErrorCode.ClientHttpAuthentication))
  );
}

function wordsOf(thrown: unknown, { redact }: FaultPlace): string {
  const chain: string[] = [];
  for (let error = thrown; error instanceof Error && chain.length < 3; error = error.cause)
    if (!chain.some((known) => known.includes(error.message))) chain.push(error.message);
  const words = redact(showText(chain.join(': ') || String(thrown)));
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words;
}

function ending({ report, redact }: FaultPlace): string {
  if (!report) return '';
  const exit = report.exit === undefined ? '' : ` Its program ended with ${report.exit}.`;
  return report.stderr === '' ? exit : `${exit} It last wrote to stderr:\n${redact(showText(report.stderr))}`;
}

export function toFailure(error: unknown): ToolFailure {
  if (error instanceof McpFault) return error.toFailure();
  return fail('FAILED', error instanceof Error ? error.message : String(error));
}

// Frames of an agent run as they come in: Connect envelopes of AgentServerMessage, then the end-of-stream frame.
import { gunzipSync } from 'node:zlib';
import { fromBinary } from '@bufbuild/protobuf';
import { GatewayError } from '../../../core/index.ts';
import { type AgentServerMessage, AgentServerMessageSchema } from '../../../gen/agent/v1/run_pb.ts';
import { decodeEndStream } from '../../../wire/connect-end-stream.ts';
import { EnvelopeReader, type Inflate } from '../../../wire/connect-envelope.ts';
import { readRetryAfter } from '../../upstream-words.ts';
import { decodeConnectError } from './errors.ts';

/** The codec of compressed frames: gzip, also when the server forgets to say so. */
export function inflateFor(headers: Readonly<Record<string, string>>): Inflate | undefined {
  const encoding = headers['connect-content-encoding'] ?? 'gzip';
  if (encoding !== 'gzip') return undefined; // we offer nothing else
  return (bytes, maxBytes) => gunzipSync(bytes, { maxOutputLength: maxBytes });
}

const STREAM_TYPES = /^(application\/connect\+proto|text\/event-stream)\b/i;

/** Both types carry the same binary frames; anything else is a page of somebody in between. */
export function checkStreamType(headers: Readonly<Record<string, string>>, upstream: string): void {
  const type = headers['content-type'];
  if (type === undefined || STREAM_TYPES.test(type)) return;
  throw new GatewayError(
    'upstream-malformed',
    `${upstream} answered with ${type} instead of agent frames: is it a server of this protocol?`,
    { retryable: false },
  );
}

export class ServerFrames {
  readonly #reader: EnvelopeReader;
  readonly #upstream: string;
  #count = 0;

  constructor(headers: Readonly<Record<string, string>>, upstream: string) {
    const inflate = inflateFor(headers);
    this.#reader = new EnvelopeReader(inflate === undefined ? {} : { inflate });
    this.#upstream = upstream;
  }

  get hasEnded(): boolean {
    return this.#reader.hasEnded;
  }

  /** The messages that are complete now. Throws the error of the end-of-stream frame, after those before it were given. */
  *push(chunk: Uint8Array): Generator<AgentServerMessage> {
    for (const { payload, isEnd } of this.#reader.push(chunk)) {
      if (isEnd) this.#readEnd(payload);
      else yield this.#decode(payload);
    }
  }

  /** The stream stopped before its end-of-stream frame. */
  cutError(): GatewayError {
    const where = this.#reader.hasPartialFrame
      ? `in the middle of frame ${this.#count + 1}`
      : 'before its end';
    return new GatewayError(
      'upstream-unavailable',
      `${this.#upstream} cut the run ${where}, after ${this.#count} frames.`,
      { detail: { reason: 'run_cut' } },
    );
  }

  #decode(payload: Uint8Array): AgentServerMessage {
    this.#count++;
    try {
      return fromBinary(AgentServerMessageSchema, payload);
    } catch (cause) {
      throw new GatewayError(
        'upstream-malformed',
        `${this.#upstream} sent a frame (number ${this.#count}, ${payload.length} bytes) that is no agent message.`,
        { cause },
      );
    }
  }

  #readEnd(payload: Uint8Array): void {
    const { error, metadata } = decodeEndStream(payload);
    if (!error) return;
    const retryAfterMs = readRetryAfter({ 'retry-after': metadata['retry-after']?.[0] }, Date.now());
    throw decodeConnectError(error, { upstream: this.#upstream, retryAfterMs });
  }
}

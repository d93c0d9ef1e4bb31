// agent.v1.AgentService/Run: one HTTP/2 stream, Connect frames in both directions, the request body open to the end.
import { encodeEnvelope } from '../../../wire/connect-envelope.ts';
import type { Http2Stream } from '../../upstream-http2.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { RunChannel } from './run-channel.ts';

export const RUN_PATH = '/agent.v1.AgentService/Run';

/** How long the server may take to close a stream after its last frame. */
const GOODBYE_MS = 1_000;

export function runOverHttp2(stream: Http2Stream, upstream: string, timers: Timers): RunChannel {
  return {
    upstream,
    head: stream.head,
    body: stream.body,
    write: (message) => stream.write(encodeEnvelope(message)),
    finish() {
      stream.end();
      timers.after(GOODBYE_MS, () => stream.reset());
    },
    abort: () => stream.reset(),
  };
}

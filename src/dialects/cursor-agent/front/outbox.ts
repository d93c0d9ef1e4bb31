import type { MessageChannel } from '../../native-front.ts';
import { NativeOutbox } from '../../native-outbox.ts';
import type { Timers } from '../../upstream-timers.ts';
import { HEARTBEAT_FRAME } from './server-frames.ts';

/** Clients take 30 s without a frame for a dead stream; some proxies are less patient. */
const SILENCE_MS = 5_000;

export type Outbox = NativeOutbox;

export function createOutbox(channel: MessageChannel, timers: Timers, onGone: () => void): Outbox {
  return new NativeOutbox(channel, { timers, silenceMs: SILENCE_MS, keepAlive: HEARTBEAT_FRAME, onGone });
}

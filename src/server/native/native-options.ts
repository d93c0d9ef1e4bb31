import type { IdSource } from '../../core/index.ts';
import type { Timers } from '../../dialects/upstream-timers.ts';
import type { DocumentStore } from '../../store/index.ts';
import type { Admission, Identity } from '../auth.ts';
import type { Exchange } from '../exchange.ts';
import type { NativeDrain } from './native-drain.ts';

/** Every buffer of the native routes has a bound; these are the bounds. */
export interface NativeLimits {
  /** One message, as it travels and once inflated. */
  readonly maxMessageBytes: number;
  /** Bodies that are being read or worked on, of all clients together. */
  readonly maxBodyBytes: number;
  /** The same for one owner; room for the largest append at the least. */
  readonly maxBodyBytesOfOwner: number;
  /** Messages that came before anybody reads them, of all clients together. */
  readonly maxHeldBytes: number;
  /** Request ids that are remembered at the same time. */
  readonly maxHeldStreams: number;
  /** Out of their order, for one stream. */
  readonly maxEarlyAppends: number;
  /** How long appends wait for their stream, and a stream for its first message. */
  readonly meetMs: number;
  /** How long a message may take from its first byte to its last, inside a stream. */
  readonly frameMs: number;
  /** How long a missing append is waited for while later ones are there. */
  readonly gapMs: number;
  /** How long the first message of a stream is kept for a client that lost the stream. */
  readonly keepFirstMs: number;
  /** How long a stream that is asked for again waits for a client that starts counting anew. */
  readonly repeatMs: number;
}

export const NATIVE_LIMITS: NativeLimits = {
  maxMessageBytes: 64 * 1024 * 1024, // what public servers of the protocol accept
  maxBodyBytes: 768 * 1024 * 1024,
  maxBodyBytesOfOwner: 256 * 1024 * 1024,
  maxHeldBytes: 256 * 1024 * 1024,
  maxHeldStreams: 10_000,
  maxEarlyAppends: 256,
  meetMs: 60_000,
  frameMs: 5 * 60_000,
  gapMs: 60_000, // new sockets are slow to open on a busy machine, and a client that is gone says so in other ways
  keepFirstMs: 5 * 60_000,
  repeatMs: 300,
};

export interface NativeRoutesOptions {
  /** For calls that cost nothing; they take no place under a key's limits. */
  readonly authenticate: (exchange: Exchange) => Promise<Identity>;
  /** For streams: one place each, until they end. */
  readonly admit: (exchange: Exchange) => Promise<Admission>;
  readonly documents: DocumentStore;
  readonly limits?: Partial<NativeLimits>;
  readonly newId: IdSource;
  readonly nowMs: () => number;
  readonly timers?: Timers;
  readonly onDrift: (dialect: string, kind: string) => void;
  readonly redact: (text: string) => string;
  readonly onUnexpected: (thrown: unknown) => void;
  /** Ends open streams in words when the gateway stops. */
  readonly drain?: NativeDrain | undefined;
  readonly onStreamOpen?: () => void;
  readonly onStreamClose?: () => void;
}

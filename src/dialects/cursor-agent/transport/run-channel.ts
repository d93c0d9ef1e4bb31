/** How the bytes of one run travel, whatever carries them. */
export interface RunChannel {
  /** How messages name the server. */
  readonly upstream: string;
  readonly head: Promise<{ readonly status: number; readonly headers: Readonly<Record<string, string>> }>;
  /** The answer's body, Connect frames; read once. */
  readonly body: AsyncIterable<Uint8Array>;
  /** One serialised client message, in the order of the calls. */
  write(message: Uint8Array): Promise<void>;
  /** The server has said its last word: nothing more will be written. */
  finish(): void;
  /** Ends both directions now; what is pending rejects. Safe to call twice. */
  abort(): void;
}

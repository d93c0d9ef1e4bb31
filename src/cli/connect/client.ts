import type { EditText } from '../edit-file.ts';

/** What a client is to be told. */
export interface ConnectTarget {
  /** The gateway's address without a path, e.g. http://127.0.0.1:18741. */
  readonly url: string;
  readonly model: string;
  /** All models worth offering in the client's own list. */
  readonly models: readonly string[];
  /** The key to send; a harmless word when the gateway wants none, because most clients insist on one. */
  readonly key: string;
  /** True when the user named the model and so wants it chosen, not just offered. */
  readonly isModelChosen: boolean;
}

export interface Places {
  readonly home: string;
  readonly configHome: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How to point one client at the gateway. */
export interface ConnectClient {
  readonly name: string;
  readonly title: string;
  /** The dialect the client will speak to us. */
  readonly front: string;
  /** The settings as text to read or copy. */
  describe(target: ConnectTarget): string;
  /** Absent where there is no file to write. */
  readonly settings?: {
    /** Candidates, best first; the first that exists is edited, else the last named is made. */
    files(places: Places): readonly [string, ...string[]];
    edit(target: ConnectTarget): EditText;
  };
}

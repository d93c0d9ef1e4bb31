// What this front notes on a request for its own encoders and for the record, under its own name in `extra`.
import { isJsonObject, type JsonObject, type TurnRequest } from '../../core/index.ts';

export const CURSOR_BYOK = 'cursor-byok';

export const OUTPUT_DIALECTS = ['openai', 'cursor', 'both'] as const;
export type OutputDialect = (typeof OUTPUT_DIALECTS)[number];

export interface ByokNotes {
  readonly dialect: OutputDialect;
  /** Whose thoughts may be remembered for whom: a digest of the client's key. */
  readonly scope: string;
  readonly repairs?: readonly string[];
  readonly setAside?: JsonObject;
}

/** A record is for people to read. */
const MAX_REPAIRS = 20;

export function writeNotes(notes: ByokNotes): JsonObject {
  const { dialect, scope, repairs = [], setAside = {} } = notes;
  const written: JsonObject = { dialect, scope };
  const untold = repairs.length - MAX_REPAIRS;
  if (repairs.length > 0) written.repairs = repairs.slice(0, MAX_REPAIRS);
  if (untold > 0) written.more_repairs = untold;
  if (Object.keys(setAside).length > 0) written.fields = setAside;
  return written;
}

export function readNotes(request: TurnRequest): ByokNotes {
  const kept = request.extra?.[CURSOR_BYOK];
  const notes = isJsonObject(kept) ? kept : {};
  const dialect = OUTPUT_DIALECTS.find((word) => word === notes.dialect) ?? 'openai';
  return { dialect, scope: typeof notes.scope === 'string' ? notes.scope : '' };
}

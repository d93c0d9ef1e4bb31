import type { Intent } from './intent.ts';
import type { MaskedText } from './mask-quotes.ts';

/** Knows one family of wishes: reads a trimmed clause, or leaves it to the next reader. */
export type ClauseReader = (clause: string, masked: MaskedText) => readonly Intent[] | undefined;

import { GatewayError, type Message, userMessage } from '../core/index.ts';
import { CHARACTERS_PER_TOKEN, countCharacters, estimateMessages } from './context-size.ts';
import { findLastRequest, splitUnits, type Unit } from './conversation-units.ts';
import { renderTranscript } from './render-transcript.ts';
import { clipResults, trimConversation } from './trim-conversation.ts';

/** A conversation that fills this much of the window is summed up before the next step. */
export const COMPACTION_SHARE = 0.8;
/** How much of the window the latest messages may fill afterwards, as they are. */
const TAIL_SHARE = 0.2;
/** How much of the window the transcript of the summary turn may fill; the rest is for the summary itself. */
const TRANSCRIPT_SHARE = 0.6;
/** Where trimming has to get to. */
const TRIMMED_SHARE = 0.5;

export interface Compacted {
  readonly summary: string;
  readonly messages: readonly Message[];
}

export interface CompactionOptions {
  readonly messages: readonly Message[];
  /** In tokens. */
  readonly window: number;
  /** One turn without tools; throws when it fails. */
  readonly summarise: (transcript: string) => Promise<string>;
  readonly signal: AbortSignal;
}

/** A shorter conversation that says the same; undefined when there is nothing that could be shortened. */
export async function compactConversation(options: CompactionOptions): Promise<Compacted | undefined> {
  const { messages, window, summarise, signal } = options;
  const units = splitUnits(messages);
  const start = findTail(units, window * TAIL_SHARE);
  if (start === 0) return trim(messages, window, 'the conversation is a single step');
  const transcript = renderTranscript(messages, window * TRANSCRIPT_SHARE * CHARACTERS_PER_TOKEN);
  try {
    const summary = (await summarise(transcript)).trim();
    if (summary === '') throw new GatewayError('upstream-malformed', 'the summary was empty');
    return { summary, messages: [summaryMessage(summary), ...keepLatest(units, start, window)] };
  } catch (thrown) {
    signal.throwIfAborted();
    return trim(messages, window, GatewayError.from(thrown).message);
  }
}

/** The index of the first unit that stays as it is. The last unit always does; the first never, if there are two. */
function findTail(units: readonly Unit[], maxTokens: number): number {
  let tokens = 0;
  let start = units.length - 1;
  for (let index = units.length - 1; index > 0; index--) {
    tokens += estimateMessages(units[index] ?? []);
    if (tokens > maxTokens) break;
    start = index;
  }
  return Math.max(0, start);
}

function keepLatest(units: readonly Unit[], start: number, window: number): readonly Message[] {
  const tail = units.slice(start);
  const room = window * TAIL_SHARE;
  if (estimateMessages(tail.flat()) > room) tail[0] = clipResults(tail[0] ?? [], room);
  const request = findLastRequest(units);
  const asked = request >= 0 && request < start ? (units[request] ?? []) : [];
  // The request itself is worth more than any summary of it, unless it is what fills the window.
  return estimateMessages(asked) > room ? tail.flat() : [...asked, ...tail.flat()];
}

function summaryMessage(summary: string): Message {
  return userMessage(
    `<conversation_summary>\nThe conversation so far was summed up to make room. This is the summary; what follows it is the conversation as it was.\n\n${summary}\n</conversation_summary>`,
  );
}

function trim(messages: readonly Message[], window: number, reason: string): Compacted | undefined {
  const trimmed = trimConversation(messages, Math.floor(window * TRIMMED_SHARE));
  if (countCharacters(trimmed) >= countCharacters(messages)) return undefined;
  return {
    summary: `No summary was made (${reason}); old results and messages were removed instead.`,
    messages: trimmed,
  };
}

import type { Message, Part, ToolResultPart } from '../core/index.ts';
import { clipText } from './clip-text.ts';
import { CHARACTERS_PER_TOKEN, countPart, estimateMessages } from './context-size.ts';
import { findLastRequest, splitUnits, type Unit } from './conversation-units.ts';
import { harnessNote } from './harness-note.ts';

/** Results shorter than this are not worth taking away. */
const MIN_REMOVED_CHARACTERS = 400;

/**
 * Makes room without a model: old results give way first, then the long ones of the last step are clipped, then the
 * oldest messages go. Calls and results stay together, and so does what the user said last.
 */
export function trimConversation(messages: readonly Message[], maxTokens: number): readonly Message[] {
  const fits = (units: readonly Unit[]) => estimateMessages(units.flat()) <= maxTokens;
  const units = splitUnits(messages);
  const last = units.length - 1;
  for (let index = 0; index < last && !fits(units); index++) units[index] = emptyResults(units[index] ?? []);
  if (!fits(units)) units[last] = clipResults(units[last] ?? [], maxTokens / 2);
  return fits(units) ? units.flat() : dropOldest(units, fits);
}

/** The same unit with its long results cut to their beginning and end, so that together they fit. */
export function clipResults(unit: Unit, maxTokens: number): Unit {
  const texts = unit.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? part.content : [])),
  );
  const share = Math.max(
    MIN_REMOVED_CHARACTERS,
    Math.floor((maxTokens * CHARACTERS_PER_TOKEN) / Math.max(1, texts.length)),
  );
  return mapResults(unit, (result) => ({
    ...result,
    content: result.content.map((part) =>
      part.type === 'text' ? { ...part, text: clipText(part.text, share) } : part,
    ),
  }));
}

function emptyResults(unit: Unit): Unit {
  return mapResults(unit, (result) => {
    const characters = countPart(result);
    if (characters < MIN_REMOVED_CHARACTERS) return result;
    const text = `[This result (about ${characters} characters) was removed to make room. Call the tool again if it is needed.]`;
    return { ...result, content: [{ type: 'text', text }] };
  });
}

function dropOldest(units: readonly Unit[], fits: (units: readonly Unit[]) => boolean): readonly Message[] {
  const request = findLastRequest(units);
  const kept = units.map((unit, index) => ({ unit, index }));
  let dropped = 0;
  const notice = () => [harnessNote(`${dropped} earlier messages were removed to make room.`)];
  const candidate = () => [notice(), ...kept.map(({ unit }) => unit)];
  while (kept.length > 1 && (dropped === 0 || !fits(candidate()))) {
    const victim = kept.findIndex(({ index }) => index !== request && index !== units.length - 1);
    if (victim < 0) break;
    dropped += kept.splice(victim, 1)[0]?.unit.length ?? 0;
  }
  return dropped === 0 ? units.flat() : candidate().flat();
}

function mapResults(unit: Unit, change: (result: ToolResultPart) => ToolResultPart): Unit {
  return unit.map((message) =>
    message.role === 'tool'
      ? {
          ...message,
          content: message.content.map((part): Part => (part.type === 'tool-result' ? change(part) : part)),
        }
      : message,
  );
}

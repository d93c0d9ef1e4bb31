import { type Intent, isToolIntent } from './intent.ts';
import { type MaskedText, maskQuotes, PLACEHOLDER } from './mask-quotes.ts';
import { isPathLike } from './paths.ts';
import { readClause, trimClause } from './read-clause.ts';

/** Steps come one after the other; the intents of one step may be done at the same time. */
export interface Understanding {
  readonly steps: readonly (readonly Intent[])[];
}

interface Segment {
  readonly text: string;
  /** The words between the segment before and this one. */
  readonly joint: string;
  readonly isNextStep: boolean;
}

/** Bounds on the work; what the user wants stands at the end of a long prompt. */
const MAX_STEPS = 100;
const MAX_CHARACTERS = 20_000;
const MAX_SEGMENTS = 40;

type ReadClause = (clause: string) => readonly Intent[] | undefined;

/** Finds what a text asks for. Words it has no rule for are passed over. */
export function understandRequest(text: string, toolNames: readonly string[] = []): Understanding {
  const masked = maskQuotes(text);
  const read: ReadClause = (clause) => {
    const intents = readClause(clause, masked);
    const first = intents?.[0];
    // "call mom" is a call only where a tool of that name is declared.
    const isIdle =
      first?.kind === 'call' && typeof first.input === 'object' && Object.keys(first.input).length === 0;
    return isIdle && !/\b(?:tool|function)\b/i.test(clause) && !toolNames.includes(first.tool)
      ? undefined
      : intents;
  };
  const steps = splitSentences(masked.text.slice(-MAX_CHARACTERS)).flatMap((sentence) =>
    readSentence(sentence, masked, read),
  );
  return { steps: steps.slice(0, MAX_STEPS) };
}

function splitSentences(text: string): string[] {
  // A quotation or code block on a line of its own belongs to the line above it ("with:" and then a fence).
  const joined = text.replace(new RegExp(`\\s*\\n\\s*(${PLACEHOLDER})[ \\t]*(?=\\n|$)`, 'g'), ' $1');
  return joined.split(/\n+|;\s+|(?<=[^\s.][.!?])\s+(?=[^\s])/).filter((sentence) => sentence.trim() !== '');
}

const JOINT =
  /\s*,?\s+(?:and\s+)?(?:then|after that|afterwards|finally)[,:]?\s+|\s*,\s*(?:and\s+(?:also\s+)?)?|\s+(?:and(?: also)?|&|plus|as well as)\s+/gi;

function splitSegments(sentence: string): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  let joint = '';
  for (const match of sentence.matchAll(JOINT)) {
    if (segments.length >= MAX_SEGMENTS) break;
    segments.push({ text: sentence.slice(start, match.index), joint, isNextStep: isSequence(joint) });
    joint = match[0];
    start = match.index + joint.length;
  }
  segments.push({ text: sentence.slice(start), joint, isNextStep: isSequence(joint) });
  return segments;
}

function isSequence(joint: string): boolean {
  return /then|after|finally/i.test(joint);
}

/**
 * A joint splits only where something understood begins behind it, or where the list of objects goes on:
 * "create a.txt with salt and pepper" is one wish, "read a.txt and b.txt" are two.
 */
function readSentence(sentence: string, masked: MaskedText, read: ReadClause): Intent[][] {
  const steps: Intent[][] = [[]];
  let clause = '';
  let intents: readonly Intent[] | undefined;
  let isNextStep = false;
  const flush = () => {
    const found = intents ?? searchInside(clause, read) ?? [];
    if (isNextStep && found.length > 0) steps.push([]);
    steps.at(-1)?.push(...found);
  };
  for (const [index, segment] of splitSegments(sentence).entries()) {
    const own = read(segment.text);
    const continued = own ? undefined : continueList(intents, segment.text, masked);
    if (index > 0 && (own || continued)) {
      flush();
      clause = segment.text;
      intents = own ?? continued;
      isNextStep = segment.isNextStep;
      continue;
    }
    clause += segment.joint + segment.text;
    intents = index === 0 ? own : read(clause);
  }
  flush();
  return steps.filter((step) => step.length > 0);
}

function continueList(
  intents: readonly Intent[] | undefined,
  segment: string,
  masked: MaskedText,
): Intent[] | undefined {
  const last = intents?.at(-1);
  const word = trimClause(segment);
  if (!last || word === '' || /\s/.test(word)) return undefined;
  const value = masked.value(word);
  if ((last.kind === 'read' || last.kind === 'delete') && isPathLike(value))
    return [{ ...last, path: value }];
  if (last.kind === 'run' && word.length === 1 && /^`/.test(masked.source(word)))
    return [{ ...last, command: value.trim() }];
  if (last.kind === 'list' && last.path !== '.') return [{ ...last, path: value }];
  if (last.kind === 'fetch' && /^https?:\/\/\S+$/i.test(value)) return [{ ...last, url: value }];
  return undefined;
}

const ACTION =
  /(?<=\b(?:to|please|you|should|must|can|just|now|by|let's|lets|and|task is|:|,)\s)(?:read|show|open|cat|view|run|execute|list|search|grep|find|create|write|save|replace|change|edit|delete|remove|fetch|download|calculate|remember|use|call)\b|\b(?:read|show|open|cat|view|create|write|replace|edit|delete|fetch|list)\b/gi;

/** A wish in the middle of a longer sentence ("it would help me if you could read package.json"). */
function searchInside(clause: string, read: ReadClause): readonly Intent[] | undefined {
  let attempts = 0;
  for (const match of clause.matchAll(ACTION)) {
    if (++attempts > 10) return undefined;
    const found = read(clause.slice(match.index));
    if (found?.some(isToolIntent)) return found;
  }
  return undefined;
}

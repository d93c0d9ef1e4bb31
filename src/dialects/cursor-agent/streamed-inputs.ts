import {
  GatewayError,
  isJsonObject,
  MAX_ARGUMENT_CHARACTERS,
  type TurnEvent,
  type TurnSpans,
} from '../../core/index.ts';
import type { AgentTool } from './agent-tools.ts';
import { canonicalText } from './decode-arguments.ts';
import type { PendingCall } from './pending-call.ts';
import type { TurnProgress } from './turn-progress.ts';

export interface ArgumentDelta {
  readonly callId: string;
  readonly tool: AgentTool;
  readonly delta: string;
  /** Whether the text may leave before its call is complete. */
  readonly mayStream: boolean;
}

interface StreamedInput {
  text: string;
  /** How much of it has left. */
  given: number;
  /** `foreign`: the text is something else than the arguments, so the exec alone is believed. */
  state: 'waiting' | 'live' | 'foreign' | 'whole';
}

const FIRST_KEY = /^\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:/;

/**
 * Argument text that streams in before the exec which carries the whole call. What exactly the backend puts there is not
 * known for every tool: it is passed on only once its first key turns out to be a parameter of the tool, and checked
 * against the exec at the end. The last brace waits for the exec: a client may run a call as soon as its text is whole,
 * and the backend may still decide to answer the call itself.
 */
export class StreamedInputs {
  readonly #spans: TurnSpans;
  readonly #usedCallIds: ReadonlySet<string>;
  readonly #inputs = new Map<string, StreamedInput>();

  constructor({ spans, usedCallIds }: Pick<TurnProgress, 'spans' | 'usedCallIds'>) {
    this.#spans = spans;
    this.#usedCallIds = usedCallIds;
  }

  append({ callId, tool, delta, mayStream }: ArgumentDelta, out: TurnEvent[]): void {
    if (callId === '' || delta === '' || tool.definition.kind !== 'function') return;
    if (this.#usedCallIds.has(callId)) return; // its exec has come already
    const input = this.#inputs.get(callId) ?? { text: '', given: 0, state: 'waiting' };
    this.#inputs.set(callId, input);
    if (input.state === 'foreign') return;
    input.text += delta;
    if (input.text.length > MAX_ARGUMENT_CHARACTERS && input.state === 'waiting') input.state = 'foreign';
    if (input.state === 'live') {
      this.#give(callId, input, openEnd(input), out);
      return;
    }
    // One at a time: the exec of a second one may be held back until the first is answered.
    if (!mayStream || this.#spans.tools.openCallIds.length > 0) return;
    const key = FIRST_KEY.exec(input.text)?.[1];
    if (key === undefined) return;
    const { properties } = tool.schema;
    input.state = isJsonObject(properties) && Object.hasOwn(properties, key) ? 'live' : 'foreign';
    if (input.state === 'foreign') return;
    const { name, namespace } = tool.definition;
    this.#spans.startTool(
      { callId, name, kind: 'function', ...(namespace === undefined ? {} : { namespace }) },
      out,
    );
    this.#give(callId, input, openEnd(input), out);
  }

  /** The exec is here: what has begun to leave is complete. Other calls wait for the rest of their round. */
  finishLive(call: PendingCall, out: TurnEvent[]): void {
    const { callId, argumentsText } = call;
    const input = this.#inputs.get(callId);
    if (input?.state !== 'live') return;
    if (!isSameText(input.text, argumentsText)) input.text += missingEnd(input.text, call);
    this.#give(callId, input, input.text.length, out);
    this.#spans.tools.finish(callId, out);
    input.state = 'whole';
  }

  /** The call is given out, unless that is done already. */
  complete(call: PendingCall, out: TurnEvent[]): void {
    const { callId, name, namespace, kind, argumentsText } = call;
    const input = this.#inputs.get(callId);
    this.#inputs.delete(callId);
    if (input?.state === 'whole') return;
    const isSame = input !== undefined && isSameText(input.text, argumentsText);
    this.#spans.startTool({ callId, name, kind, ...(namespace === undefined ? {} : { namespace }) }, out);
    this.#spans.tools.append(callId, isSame ? input.text : argumentsText, out);
    this.#spans.tools.finish(callId, out);
  }

  #give(callId: string, input: StreamedInput, end: number, out: TurnEvent[]): void {
    this.#spans.tools.append(callId, input.text.slice(input.given, end), out);
    input.given = Math.max(input.given, end);
  }
}

/** Where the text ends without a last brace that may close it. */
function openEnd({ text, given }: StreamedInput): number {
  let end = text.length;
  while (end > given && /\s/.test(text.charAt(end - 1))) end--;
  return end > given && text.charAt(end - 1) === '}' ? end - 1 : text.length;
}

function isSameText(streamed: string, argumentsText: string): boolean {
  return canonicalText(streamed) === canonicalText(argumentsText);
}

function missingEnd(streamed: string, { callId, argumentsText }: PendingCall): string {
  if (argumentsText.startsWith(streamed)) return argumentsText.slice(streamed.length);
  throw new GatewayError(
    'upstream-malformed',
    `The agent backend streamed other arguments for call ${callId} than it asked to run.`,
  );
}

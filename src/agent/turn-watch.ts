import {
  type AgentCall,
  estimatedUsage,
  type FinishReason,
  type GatewayError,
  isTerminal,
  type Message,
  NO_USAGE,
  omitUndefined,
  type Part,
  type ToolCall,
  type TurnEvent,
  TurnFold,
  TurnGrammar,
  type Usage,
} from '../core/index.ts';
import type { CallIds } from './call-ids.ts';
import { countPart } from './context-size.ts';

/** What one turn of the model came to. */
export interface TurnOutcome {
  /** Empty parts left out; a call that was cut off is not in it. */
  readonly content: readonly Part[];
  /** Complete calls that wait for us; those an upstream ran itself are not among them. */
  readonly calls: readonly AgentCall[];
  /** Names of calls whose input never became complete. */
  readonly cutCalls: readonly string[];
  readonly finishReason: FinishReason;
  readonly rawReason?: string;
  readonly usage: Usage;
  readonly error?: GatewayError;
}

/** Follows one turn: forwards its events in good order, keeps its answer. */
export class TurnWatch {
  readonly #fold = new TurnFold();
  readonly #grammar = new TurnGrammar();
  readonly #rename: (event: TurnEvent) => TurnEvent;
  readonly #calls: ToolCall[] = [];
  readonly #inputs = new Map<string, string>();
  #hasStarted = false;
  #isOver = false;

  constructor(ids: CallIds) {
    this.#rename = ids.forTurn();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The events to forward: those that came, the terminal one aside. */
  take(batch: readonly TurnEvent[]): readonly TurnEvent[] {
    const given: TurnEvent[] = [];
    for (const event of batch) {
      if (this.#isOver) break;
      if (isTerminal(event)) {
        given.push(...this.close());
        this.#fold.add(event);
        this.#isOver = true;
      } else this.#takeBody(this.#rename(event), given);
    }
    return given;
  }

  /** Ends whatever is open, for a turn that stops here. */
  close(): readonly TurnEvent[] {
    const events = this.#grammar.closingEvents();
    for (const event of events) {
      this.#grammar.check(event);
      this.#fold.add(event);
    }
    return events;
  }

  outcome(inputCharacters: () => number, error?: GatewayError): TurnOutcome {
    const result = this.#fold.result();
    const content = result.content.filter((part) => !isEmpty(part));
    return omitUndefined({
      content,
      calls: this.#calls.filter(({ executor }) => executor === 'client').map(toAgentCall),
      cutCalls: [...this.#inputs.values()],
      finishReason: result.finishReason,
      rawReason: result.end?.rawReason,
      // A turn that was refused before its first word used nothing.
      usage: result.usage ?? (this.#hasStarted ? guessUsage(inputCharacters, content) : NO_USAGE),
      error: error ?? result.error,
    });
  }

  #takeBody(event: TurnEvent, given: TurnEvent[]): void {
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      if (event.type !== 'turn-start') this.#takeBody({ type: 'turn-start' }, given);
    }
    const problem = this.#grammar.check(event);
    if (problem) {
      // One misplaced event is no reason to lose an answer; readers are promised good order, so it stays here.
      given.push({ type: 'warning', code: 'misplaced-event', message: `The model's answer had ${problem}.` });
      return;
    }
    if (event.type === 'tool-input-start') this.#inputs.set(event.callId, event.name);
    if (event.type === 'tool-call') {
      this.#inputs.delete(event.callId);
      this.#calls.push(event);
    }
    this.#fold.add(event);
    given.push(event);
  }
}

function toAgentCall(call: ToolCall): AgentCall {
  const { callId, name, kind, argumentsText, input, inputProblem } = call;
  return omitUndefined({ callId, name, kind, argumentsText, input, inputProblem });
}

/** Several APIs refuse empty texts in a history. */
function isEmpty(part: Part): boolean {
  if (part.type === 'text') return part.text === '';
  return part.type === 'reasoning' && part.text === '' && !part.signature && !part.encrypted;
}

function guessUsage(inputCharacters: () => number, content: readonly Part[]): Usage {
  let output = 0;
  for (const part of content) output += countPart(part);
  return estimatedUsage(inputCharacters(), output);
}

export function assistantMessage(content: readonly Part[]): Message {
  return { role: 'assistant', content };
}

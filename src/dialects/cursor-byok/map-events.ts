// The events of a turn as Cursor's chat parser can take them. It reads `tool_call.function.name` of every call and
// fails on a custom one, shows no refusal field, and wants counts at the end of each answer. Known from reports of
// gateways that work with it; the parser itself is not public.
import type { Part, ReasoningPart, TurnEnd, TurnEvent, TurnResult, Usage } from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';
import { completeUsage, countParts } from './complete-usage.ts';
import { shortenError } from './shorten-error.ts';
import { frameThinking, type ThinkingStyle, VisibleThinking } from './visible-thinking.ts';

export class EventMapper {
  readonly #context: EncodeContext;
  readonly #thinking: VisibleThinking;
  #usage: Usage | undefined;
  #characters = 0;
  #hasRefusal = false;

  constructor(context: EncodeContext, style: ThinkingStyle) {
    this.#context = context;
    this.#thinking = new VisibleThinking(style);
  }

  map(event: TurnEvent): TurnEvent[] {
    const out: TurnEvent[] = [];
    switch (event.type) {
      case 'text-start': {
        this.#thinking.close(out);
        if (event.form === 'refusal') this.#hasRefusal = true;
        out.push({ type: 'text-start', id: event.id });
        break;
      }
      case 'text-delta':
      case 'tool-input-delta':
        this.#characters += event.text.length;
        out.push(event);
        break;
      case 'reasoning-start':
        this.#thinking.startSpan();
        out.push(event);
        break;
      case 'reasoning-delta':
        this.#characters += event.text.length;
        out.push(event);
        this.#thinking.show(event.text, out);
        break;
      case 'tool-input-start':
        this.#thinking.close(out);
        out.push(asFunction(event));
        break;
      case 'tool-call':
        out.push(asFunction(event));
        break;
      case 'usage':
        // Held back: the last word on usage is spoken at the end.
        this.#usage = event.usage;
        break;
      case 'turn-end':
        this.#thinking.close(out);
        out.push(this.#end(event));
        break;
      case 'turn-error':
        this.#thinking.close(out);
        out.push({ ...event, error: shortenError(event.error) });
        break;
      default:
        out.push(event);
    }
    return out;
  }

  #end(event: TurnEnd): TurnEnd {
    const usage = completeUsage(event.usage ?? this.#usage, this.#context.request, this.#characters);
    const isShown = event.reason === 'refusal' && this.#hasRefusal;
    return { ...event, reason: isShown ? 'stop' : event.reason, usage };
  }
}

/** Custom calls travel in a function envelope, their text raw, not wrapped in JSON. */
function asFunction<E extends { readonly kind: 'function' | 'custom' | 'hosted' }>(event: E): E {
  return event.kind === 'custom' ? { ...event, kind: 'function' } : event;
}

export function mapResult(result: TurnResult, context: EncodeContext, style: ThinkingStyle): TurnResult {
  const usage = completeUsage(result.usage, context.request, countParts(result.content));
  const hasRefusal = result.content.some((part) => part.type === 'refusal');
  const thoughts = result.content.filter((part): part is ReasoningPart => part.type === 'reasoning');
  const shown = frameThinking(thoughts.map((part) => part.text).join('\n\n'), style);
  const content = result.content.map(
    (part): Part =>
      part.type === 'refusal'
        ? { type: 'text', text: part.text }
        : part.type === 'tool-call'
          ? asFunction(part)
          : part,
  );
  return {
    ...result,
    content: shown === '' ? content : [{ type: 'text', text: shown }, ...content],
    finishReason: result.finishReason === 'refusal' && hasRefusal ? 'stop' : result.finishReason,
    usage,
  };
}

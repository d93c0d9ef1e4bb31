// One turn out, in the chosen dialect. `openai` and the endings of all three are the chat dialect's own encoder,
// fed with events that Cursor can take; `cursor` and `both` write native frames before it.
import { isTerminal, type TerminalEvent, type TurnEvent } from '../../core/index.ts';
import type { EncodeContext, TurnEncoder } from '../dialect.ts';
import { type OutputDialect, readNotes } from './byok-extra.ts';
import { EventMapper } from './map-events.ts';
import { NativeEncoder } from './native-encoder.ts';
import type { ReasoningCache } from './reasoning-cache.ts';
import { ThoughtCollector } from './thought-collector.ts';
import type { ThinkingStyle } from './visible-thinking.ts';

export interface EncoderOptions {
  /** The chat dialect's encoder for the same turn. */
  readonly chat: TurnEncoder;
  readonly cache: ReasoningCache;
  readonly thinking: ThinkingStyle;
  readonly strictProto: boolean;
}

export class ByokTurnEncoder implements TurnEncoder {
  readonly #chat: TurnEncoder;
  readonly #dialect: OutputDialect;
  readonly #mapper: EventMapper;
  readonly #native: NativeEncoder;
  readonly #thoughts: ThoughtCollector;

  constructor(context: EncodeContext, options: EncoderOptions) {
    const { dialect, scope } = readNotes(context.request);
    this.#chat = options.chat;
    this.#dialect = dialect;
    this.#mapper = new EventMapper(context, options.thinking);
    this.#native = new NativeEncoder({ strictProto: options.strictProto });
    this.#thoughts = new ThoughtCollector(options.cache, scope);
  }

  encode(events: readonly TurnEvent[]): string {
    let out = '';
    for (const event of events) {
      this.#thoughts.add(event);
      if (this.#dialect !== 'openai') out += this.#native.encode(event);
      if (this.#dialect !== 'cursor') out += this.#chat.encode(this.#mapper.map(event));
      else if (isTerminal(event)) out += this.#endNative(event);
    }
    return out;
  }

  encodeRawEnding(terminal: TerminalEvent): string {
    return this.#chat.encodeRawEnding(terminal);
  }

  /** An error frame looks alike in both dialects; a good end is the end marker alone. */
  #endNative(terminal: TerminalEvent): string {
    const [mapped] = this.#mapper.map(terminal);
    return this.#chat.encodeRawEnding(mapped && isTerminal(mapped) ? mapped : terminal);
  }
}

// A turn in the JSON form of Cursor's own stream messages: `text`, `thinking`, `partial_tool_call`, `tool_call_v2`.
// Field names are those of aiserver.v1; that Cursor's own-key endpoint parses them is a guess, which is why this is
// chosen by hand. No frame says why a turn ended or what it used: the stream simply stops.
import { encodeNativeCall, type NativeParamsOptions, resolveNativeTool } from '../../catalogue/index.ts';
import type { JsonObject, TurnEvent } from '../../core/index.ts';
import { encodeSse } from '../../wire/sse.ts';

export class NativeEncoder {
  readonly #options: NativeParamsOptions;
  readonly #indexes = new Map<string, number>();

  constructor(options: NativeParamsOptions) {
    this.#options = options;
  }

  /** Frames for one event; endings are the caller's. */
  encode(event: TurnEvent): string {
    switch (event.type) {
      case 'text-delta':
        return event.text === '' ? '' : frame({ text: event.text });
      case 'reasoning-delta':
        return event.text === '' ? '' : frame({ thinking: { text: event.text } });
      case 'tool-input-start': {
        // Hosted calls run elsewhere; a client that saw one would try to run it.
        if (event.kind === 'hosted') return '';
        const { callId: tool_call_id, name } = event;
        const tool_index = this.#indexes.size;
        this.#indexes.set(tool_call_id, tool_index);
        const tool = resolveNativeTool(name).number;
        return frame({ partial_tool_call: { tool, tool_call_id, name, tool_index } });
      }
      case 'tool-call': {
        const { callId: tool_call_id, name, argumentsText } = event;
        const tool_index = this.#indexes.get(tool_call_id);
        if (tool_index === undefined) return '';
        const { tool, paramsKey, params } = encodeNativeCall(name, argumentsText, this.#options);
        const call = { tool, tool_call_id, name, tool_index, [paramsKey]: params };
        return frame({ text: '', tool_call_v2: call });
      }
      default:
        return '';
    }
  }
}

function frame(value: JsonObject): string {
  return encodeSse(JSON.stringify(value));
}

// OpenAI refuses an input in which a call has no output, an output has no call, or a call has two outputs. Clients
// of other dialects may send all three: interrupted turns, trimmed histories, retries.
import type { JsonObject } from '../../core/index.ts';

const CALLS: readonly unknown[] = ['function_call', 'custom_tool_call'];
const OUTPUTS: readonly unknown[] = ['function_call_output', 'custom_tool_call_output'];

/** Calls without an output get one that says so, a second output is dropped, an orphan becomes a user's message. */
export function pairCalls(items: readonly JsonObject[]): JsonObject[] {
  const called = new Set(items.filter((item) => CALLS.includes(item.type)).map((item) => item.call_id));
  const answered = new Set(items.filter((item) => OUTPUTS.includes(item.type)).map((item) => item.call_id));
  const used = new Set<unknown>();
  const paired: JsonObject[] = [];
  for (const item of items) {
    if (CALLS.includes(item.type)) {
      paired.push(item);
      if (!answered.has(item.call_id)) paired.push(missingOutput(item));
    } else if (!OUTPUTS.includes(item.type)) {
      paired.push(item);
    } else if (!used.has(item.call_id)) {
      used.add(item.call_id);
      paired.push(called.has(item.call_id) ? item : asMessage(item));
    }
  }
  return paired;
}

function missingOutput(call: JsonObject): JsonObject {
  return {
    type: `${String(call.type)}_output`,
    call_id: call.call_id ?? '',
    output: 'No result of this call was recorded.',
  };
}

function asMessage(output: JsonObject): JsonObject {
  const head = { type: 'input_text', text: `Result of tool call ${String(output.call_id)}:` };
  const body = Array.isArray(output.output)
    ? output.output
    : [{ type: 'input_text', text: String(output.output) }];
  return { type: 'message', role: 'user', content: [head, ...body] };
}

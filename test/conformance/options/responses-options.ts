// Options of OpenAI Responses, as the API reference spells them.
import { fieldsOf, listOf, textOf } from '../../../src/cli/demo/answer-fields.ts';
import { type JsonObject, omitUndefined } from '../../../src/core/index.ts';
import type { AskOptions, OptionWriter } from '../ask-options.ts';
import { readOpenaiError } from './chat-options.ts';

export const responsesOptions: OptionWriter = {
  front: 'openai-responses',
  write(body, options) {
    if (options.stop) throw new Error('Responses has no field for stop strings');
    return { ...body, ...omitUndefined({ ...writeShared(body, options), instructions: options.system }) };
  },
  readError: readOpenaiError,
};

/** Everything but the system prompt, which some clients of this shape send as an item. */
export function writeShared(body: JsonObject, options: AskOptions) {
  return {
    input: listOf(body.input).map((item) => addImage({ ...fieldsOf(item) } as JsonObject, options)), // a copy of JSON
    tools: options.customTool
      ? [...listOf(body.tools), { type: 'custom', name: options.customTool }]
      : undefined,
    tool_choice: encodeToolChoice(options.toolChoice),
    parallel_tool_calls: options.isSequential ? false : undefined,
    max_output_tokens: options.maxTokens,
    reasoning: options.showsReasoning ? { effort: 'low', summary: 'auto' } : undefined,
    text: options.schema && {
      format: { type: 'json_schema', name: 'answer', schema: options.schema },
    },
  };
}

function addImage(item: JsonObject, { image }: AskOptions): JsonObject {
  if (image === undefined || item.role !== 'user') return item;
  const picture = { type: 'input_image', image_url: `data:image/png;base64,${image}`, detail: 'auto' };
  return { ...item, content: [{ type: 'input_text', text: textOf(item.content) }, picture] };
}

function encodeToolChoice(choice: AskOptions['toolChoice']): JsonObject | string | undefined {
  return typeof choice === 'object' ? { type: 'function', name: choice.name } : choice;
}

// Options of Chat Completions, as OpenAI's API reference spells them.
import { fieldsOf, listOf, textOf } from '../../../src/cli/demo/answer-fields.ts';
import { type JsonObject, omitUndefined } from '../../../src/core/index.ts';
import type { AskOptions, OptionWriter } from '../ask-options.ts';

export const chatOptions: OptionWriter = {
  front: 'openai-chat',
  write: (body, options) => ({
    ...body,
    ...omitUndefined({
      messages: [
        ...(options.system === undefined ? [] : [{ role: 'system', content: options.system }]),
        ...listOf(body.messages).map((message) => addImage({ ...fieldsOf(message) } as JsonObject, options)), // a copy of JSON
      ],
      tools: options.customTool
        ? [...listOf(body.tools), { type: 'custom', custom: { name: options.customTool } }]
        : undefined,
      tool_choice: encodeToolChoice(options.toolChoice),
      parallel_tool_calls: options.isSequential ? false : undefined,
      stop: options.stop && [...options.stop],
      max_completion_tokens: options.maxTokens,
      reasoning_effort: options.showsReasoning ? 'low' : undefined,
      response_format: options.schema && {
        type: 'json_schema',
        json_schema: { name: 'answer', schema: options.schema },
      },
    }),
  }),
  readError: readOpenaiError,
};

function addImage(message: JsonObject, { image }: AskOptions): JsonObject {
  if (image === undefined || message.role !== 'user') return message;
  const picture = { type: 'image_url', image_url: { url: `data:image/png;base64,${image}` } };
  return { ...message, content: [{ type: 'text', text: textOf(message.content) }, picture] };
}

function encodeToolChoice(choice: AskOptions['toolChoice']): JsonObject | string | undefined {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.name } } : choice;
}

/** OpenAI's envelope: an object with four fields, the last two perhaps null. */
export function readOpenaiError(body: unknown): string | undefined {
  const { message, type, param, code } = fieldsOf(fieldsOf(body).error);
  const isEnvelope = typeof type === 'string' && param !== undefined && code !== undefined;
  return isEnvelope && typeof message === 'string' ? message : undefined;
}

// Options of Anthropic Messages, as Anthropic's API reference spells them.
import { fieldsOf, listOf, textOf } from '../../../src/cli/demo/answer-fields.ts';
import { type JsonObject, omitUndefined } from '../../../src/core/index.ts';
import type { AskOptions, OptionWriter } from '../ask-options.ts';

export const messagesOptions: OptionWriter = {
  front: 'anthropic-messages',
  write(body, options) {
    if (options.customTool) throw new Error('Messages has no tools that take free text');
    return { ...body, ...writeOptions(body, options) };
  },
  readError(body) {
    const { type, error } = fieldsOf(body);
    const { type: kind, message } = fieldsOf(error);
    return type === 'error' && typeof kind === 'string' && typeof message === 'string' ? message : undefined;
  },
};

function writeOptions(body: JsonObject, options: AskOptions): JsonObject {
  return omitUndefined({
    messages: listOf(body.messages).map(
      (message) => changeContent({ ...fieldsOf(message) } as JsonObject, options), // a copy of JSON
    ),
    system: options.system,
    tool_choice: encodeToolChoice(options),
    stop_sequences: options.stop && [...options.stop],
    max_tokens: options.maxTokens,
    thinking: options.showsReasoning ? { type: 'enabled', budget_tokens: 1024 } : undefined,
    output_config: options.schema && { format: { type: 'json_schema', schema: options.schema } },
  });
}

function changeContent(message: JsonObject, { image, hasFailed }: AskOptions): JsonObject {
  const { role, content } = message;
  if (role !== 'user') return message;
  if (typeof content === 'string' && image !== undefined) {
    const source = { type: 'base64', media_type: 'image/png', data: image };
    return {
      role,
      content: [
        { type: 'image', source },
        { type: 'text', text: textOf(content) },
      ],
    };
  }
  if (!hasFailed) return message;
  const marked = listOf(content).map((block) => ({ ...fieldsOf(block), is_error: true }) as JsonObject); // a copy of JSON
  return { role, content: typeof content === 'string' ? content : marked };
}

function encodeToolChoice({ toolChoice, isSequential }: AskOptions): JsonObject | undefined {
  if (isSequential) return { type: 'auto', disable_parallel_tool_use: true };
  if (typeof toolChoice === 'object') return { type: 'tool', name: toolChoice.name };
  return toolChoice && { type: toolChoice === 'required' ? 'any' : 'none' };
}

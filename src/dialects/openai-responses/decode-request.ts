// A Responses request, wire to canon. Known from OpenAI's reference and from what published clients were seen to
// send (Codex, OpenCode, Cline, OpenAI's SDK and Agents SDK, the AI SDK). Nothing here is guessed.
import {
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Message,
  type OutputFormat,
  omitUndefined,
  type ReasoningOptions,
  type TurnRequest,
} from '../../core/index.ts';
import {
  expectName,
  expectObject,
  optionalBoolean,
  optionalString,
  restWithoutNulls,
  wrongType,
} from '../../wire/expect-field.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { FrontRequest } from '../dialect.ts';
import { decodeInput } from './decode-items.ts';
import { decodeAdditionalTools, decodeToolChoice, decodeTools } from './decode-tools.ts';
import {
  CANONICAL_FIELDS,
  OPENAI_RESPONSES,
  type ResponsesOptions,
  responsesOptionsSchema,
} from './schema.ts';

export function decodeRequest(request: FrontRequest): TurnRequest {
  const { headers } = request;
  // Codex sends session-id and thread-id, OpenCode x-session-id.
  const session = headers['session-id'] ?? headers['x-session-id'] ?? headers['thread-id'];
  return decodeRequestBody(parseJsonBody(request.body), session);
}

export function decodeRequestBody(body: JsonObject, session?: string): TurnRequest {
  const options = parseOptions(body);
  if (options.background) {
    throw invalidRequest(
      '`background` must be false: this gateway answers within the request. Use `stream` for long answers.',
      'background',
      'unsupported_value',
    );
  }
  return omitUndefined({
    // Without a name the router takes its default.
    model: options.model ?? '',
    messages: decodeMessages(body, options),
    tools: [...decodeTools(body.tools), ...decodeAdditionalTools(body.input)],
    toolChoice: decodeToolChoice(body.tool_choice),
    parallelToolCalls: options.parallel_tool_calls ?? undefined,
    sampling: omitUndefined({
      temperature: options.temperature ?? undefined,
      topP: options.top_p ?? undefined,
      topLogprobs: options.top_logprobs ?? undefined,
      maxOutputTokens: options.max_output_tokens ?? undefined,
    }),
    reasoning: decodeReasoningOptions(options),
    output: decodeOutput(options),
    verbosity: optionalString(options.text?.verbosity, 'text.verbosity'),
    stream: options.stream ?? false,
    promptCacheKey: options.prompt_cache_key ?? undefined,
    user: options.user ?? undefined,
    serviceTier: options.service_tier ?? undefined,
    store: options.store ?? undefined,
    metadata: options.metadata ?? undefined,
    session: session ?? conversationId(body.conversation),
    extra: { [OPENAI_RESPONSES]: keepExtra(body) },
  });
}

function parseOptions(body: JsonObject): ResponsesOptions {
  const parsed = responsesOptionsSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = String(issue?.path[0] ?? 'body');
  const isWhole = issue?.path.length === 1;
  throw wrongType(
    key,
    isWhole ? issue.message : key === 'include' ? 'an array of strings' : 'valid JSON',
    body[key],
  );
}

function decodeMessages(body: JsonObject, options: ResponsesOptions): Message[] {
  const messages: Message[] = [];
  if (typeof options.instructions === 'string' && options.instructions !== '') {
    messages.push({
      role: 'system',
      content: [{ type: 'text', text: options.instructions }],
      extra: { [OPENAI_RESPONSES]: { instructions: true } },
    });
  }
  const { input } = body;
  const spoken = isNothing(input) ? [] : decodeInput(input);
  const isElsewhere = [body.previous_response_id, body.conversation, body.prompt].some(
    (id) => !isNothing(id),
  );
  if (spoken.length === 0 && !isElsewhere) {
    throw invalidRequest(
      '`input` must be a string or an array with at least one item; nothing else in the request says what to answer.',
      'input',
      'missing_required_parameter',
    );
  }
  return [...messages, ...spoken];
}

/** An empty list asks nothing and would be refused upstream. */
function isNothing(value: JsonValue | undefined): value is undefined | null {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function decodeReasoningOptions({ reasoning }: ResponsesOptions): ReasoningOptions | undefined {
  if (!reasoning) return undefined;
  const decoded = omitUndefined({
    effort: optionalString(reasoning.effort, 'reasoning.effort'),
    summary: optionalString(reasoning.summary, 'reasoning.summary'),
  });
  return Object.keys(decoded).length > 0 ? decoded : undefined;
}

function decodeOutput({ text }: ResponsesOptions): OutputFormat | undefined {
  const format = text?.format;
  if (format === undefined || format === null) return undefined;
  const declared = expectObject(format, 'text.format');
  if (declared.type === 'text') return { type: 'text' };
  if (declared.type === 'json_object') return { type: 'json' };
  if (declared.type !== 'json_schema') {
    throw wrongType('text.format.type', '"text", "json_object" or "json_schema"', declared.type);
  }
  // The chat dialect nests the same fields one level deeper.
  const isNested = isJsonObject(declared.json_schema);
  const schema = isJsonObject(declared.json_schema) ? declared.json_schema : declared;
  const path = isNested ? 'text.format.json_schema' : 'text.format';
  return omitUndefined({
    type: 'json-schema' as const,
    name: schema.name === undefined ? undefined : expectName(schema.name, `${path}.name`),
    description: optionalString(schema.description, `${path}.description`),
    schema: expectObject(schema.schema, `${path}.schema`),
    strict: optionalBoolean(schema.strict, `${path}.strict`),
  });
}

function conversationId(value: JsonValue | undefined): string | undefined {
  if (isJsonObject(value)) return optionalString(value.id, 'conversation.id');
  return optionalString(value, 'conversation');
}

/** Always present, perhaps empty: it also says that the request was spoken in this dialect. */
function keepExtra(body: JsonObject): JsonObject {
  const extra: JsonObject = restWithoutNulls(body, CANONICAL_FIELDS) ?? {};
  const reasoning = isJsonObject(body.reasoning)
    ? restWithoutNulls(body.reasoning, ['effort', 'summary'])
    : undefined;
  if (reasoning) extra.reasoning = reasoning;
  const text = isJsonObject(body.text) ? restWithoutNulls(body.text, ['format', 'verbosity']) : undefined;
  if (text) extra.text = text;
  // An object may hold more than the canon takes from it (server labels, namespaces).
  if (isJsonObject(body.tool_choice)) extra.tool_choice = body.tool_choice;
  return extra;
}

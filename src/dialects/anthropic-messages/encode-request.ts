// A Messages request, canon to wire. What is dropped or changed because this dialect cannot say it is told in
// `warnings`; the whole list of departures is in docs/protocols/anthropic-messages.md.
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  omitUndefined,
  type TurnRequest,
  type Warning,
} from '../../core/index.ts';
import { limitCacheMarks } from './cache-control.ts';
import { encodeConversation, type WireMessage } from './encode-messages.ts';
import { encodeTools } from './encode-tools.ts';
import { defaultMaxTokens, type MessagesEncoding } from './encoding-options.ts';
import { messagesExtra } from './schema.ts';
import { encodeThinking } from './thinking.ts';
import { ToolNames, type ToolOrigin } from './tool-names.ts';

export interface EncodedRequest {
  readonly body: JsonObject;
  /** Tools whose calls must be translated back, by the name the upstream was told. */
  readonly toolOrigins: ReadonlyMap<string, ToolOrigin>;
  /** The arguments of the `json_output` call are the answer's text. */
  readonly usesJsonTool: boolean;
  readonly warnings: readonly Warning[];
}

const JSON_INSTRUCTION = 'Answer with one JSON object and nothing else: no prose around it, no code fence.';

export function encodeRequest(request: TurnRequest, encoding: MessagesEncoding): EncodedRequest {
  const extra = messagesExtra(request);
  const warnings: Warning[] = [];
  const names = new ToolNames(request.tools);
  const { system, messages } = encodeConversation(request, names, warnings);
  const { tools, toolChoice, usesJsonTool } = encodeTools(request, encoding, names);
  const maxTokens = request.sampling.maxOutputTokens ?? defaultMaxTokens(request.model, encoding);
  const context = { messages, toolChoice, maxTokens, encoding, warnings };
  const { thinking, effort } = encodeThinking(request, context);
  if (request.output?.type === 'json') system.push({ type: 'text', text: JSON_INSTRUCTION });
  limitCacheMarks([...tools, ...system, ...messages.flatMap(({ content }) => markable(content))]);
  const { headers: _headers, output_config, output_format, ...kept } = extra ?? {};
  const isThinking = thinking !== undefined && thinking.type !== 'disabled';
  const body = omitUndefined({
    ...kept,
    model: request.model,
    max_tokens: maxTokens,
    system: encodeSystem(system),
    messages: messages.map(encodeMessage),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: toolChoice,
    thinking,
    ...encodeOutput(request, encoding, { output_config, output_format, effort }),
    ...encodeSampling(request, isThinking, warnings),
    ...encodeLabels(request),
    stream: request.stream || undefined,
  }) as JsonObject; // built from JSON values only; the spreads hide that from the compiler
  return { body, toolOrigins: names.origins, usesJsonTool, warnings };
}

/** One plain text is a string, as clients write it by hand; anything more is a list. */
function encodeSystem(blocks: JsonObject[]): JsonValue | undefined {
  const [only, ...others] = blocks;
  if (!only) return undefined;
  return others.length === 0 && isPlainText(only) ? only.text : blocks;
}

function encodeMessage({ content, ...message }: WireMessage): JsonObject {
  const [only, ...others] = content;
  const isPlain = only !== undefined && others.length === 0 && isPlainText(only);
  return { ...message, content: isPlain ? String(only.text) : content };
}

function isPlainText(block: JsonObject): boolean {
  return block.type === 'text' && Object.keys(block).length === 2;
}

/** A result's own blocks may carry marks too. */
function markable(content: readonly JsonObject[]): JsonObject[] {
  return content.flatMap((block) => {
    const inner = block.type === 'tool_result' && Array.isArray(block.content) ? block.content : [];
    return [...inner.filter(isJsonObject), block];
  });
}

interface OutputFields {
  readonly output_config: JsonValue | undefined;
  readonly output_format: JsonValue | undefined;
  readonly effort: string | undefined;
}

/** The format and the effort share one object; the older spelling is kept for a client that used it. */
function encodeOutput(
  request: TurnRequest,
  encoding: MessagesEncoding,
  fields: OutputFields,
): Record<string, JsonValue | undefined> {
  const { effort, output_format } = fields;
  const kept = isJsonObject(fields.output_config) ? fields.output_config : {};
  const isNative = messagesExtra(request) !== undefined;
  const { output } = request;
  const maySend = output?.type === 'json-schema' && (isNative || encoding.structuredOutput);
  const schemaFormat = maySend ? { type: 'json_schema', schema: output.schema } : undefined;
  const format = output_format === undefined ? (schemaFormat ?? kept.format) : kept.format;
  const config = omitUndefined({ ...kept, effort, format });
  return { output_config: Object.keys(config).length > 0 ? config : undefined, output_format };
}

/** Thinking takes no temperature and no top_k, and top_p only near 1. */
function encodeSampling(
  request: TurnRequest,
  isThinking: boolean,
  warnings: Warning[],
): Record<string, JsonValue | undefined> {
  const { temperature, topP, topK, stop, ...others } = request.sampling;
  const isNative = messagesExtra(request) !== undefined;
  // Newer models refuse the two together; who speaks this dialect knows his model.
  const dropsTopP = isThinking ? topP !== undefined && topP < 0.95 : !isNative && temperature !== undefined;
  const { maxOutputTokens: _limit, choices: _choices, ...foreign } = others;
  noteDropped(
    {
      temperature: isThinking ? temperature : undefined,
      top_p: dropsTopP ? topP : undefined,
      top_k: isThinking ? topK : undefined,
      verbosity: request.verbosity,
      ...foreign,
    },
    warnings,
  );
  // White space alone is refused as a stop sequence.
  const stops = isNative ? stop : stop?.filter((text) => text.trim() !== '');
  return {
    // Others count to 2, this dialect to 1.
    temperature: isThinking || temperature === undefined ? undefined : Math.min(temperature, 1),
    top_p: dropsTopP ? undefined : topP,
    top_k: isThinking ? undefined : topK,
    stop_sequences: stops && (stops.length > 0 || isNative) ? [...stops] : undefined,
  };
}

const SERVICE_TIERS: ReadonlySet<string> = new Set(['auto', 'standard_only']);

function encodeLabels(request: TurnRequest): Record<string, JsonValue | undefined> {
  const { user, metadata, serviceTier } = request;
  const isNative = messagesExtra(request) !== undefined;
  const labels = omitUndefined({ ...(isNative ? metadata : undefined), user_id: user });
  const takesTier = isNative || (serviceTier !== undefined && SERVICE_TIERS.has(serviceTier));
  return {
    metadata: Object.keys(labels).length > 0 ? labels : undefined,
    service_tier: takesTier ? serviceTier : undefined,
  };
}

function noteDropped(fields: Readonly<Record<string, unknown>>, warnings: Warning[]): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === false) continue;
    const message = `\`${name}\` was left out: the Messages API does not take it here.`;
    warnings.push({ type: 'warning', code: 'option-dropped', message });
  }
}

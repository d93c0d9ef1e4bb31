// A Messages request, wire to canon. Known from Anthropic's reference and from what published clients were seen to
// send (Claude Code, Anthropic's SDK, the AI SDK, OpenCode, Continue). The form of Claude Code's `user_id` is observed.
import {
  invalidRequest,
  isJsonObject,
  type JsonObject,
  type OutputFormat,
  omitUndefined,
  type ReasoningOptions,
  type TurnRequest,
} from '../../core/index.ts';
import { expectObject, optionalString, restOf, wrongType } from '../../wire/expect-field.ts';
import { parseJsonBody } from '../../wire/json.ts';
import type { FrontRequest } from '../dialect.ts';
import { decodeMessages, decodeSystem } from './decode-messages.ts';
import { decodeToolChoice, decodeTools } from './decode-tools.ts';
import {
  ANTHROPIC_MESSAGES,
  KNOWN_REQUEST_FIELDS,
  type MessagesOptions,
  messagesOptionsSchema,
} from './schema.ts';

type Headers = FrontRequest['headers'];

export function decodeRequest(request: FrontRequest): TurnRequest {
  const body = parseJsonBody(request.body);
  refuseThread(body);
  if (body.max_tokens === undefined || body.max_tokens === null) {
    throw invalidRequest('`max_tokens` is required: say how many tokens the answer may have.', 'max_tokens');
  }
  return decodeRequestBody(body, request.headers);
}

export function decodeRequestBody(body: JsonObject, headers: Headers = {}): TurnRequest {
  const options = parseOptions(body);
  const messages = [...decodeSystem(body.system), ...decodeMessages(body.messages)];
  const tools = decodeTools(body.tools);
  const { user_id: _user, ...metadata } = options.metadata ?? {};
  const user = optionalString(options.metadata?.user_id, 'metadata.user_id');
  return omitUndefined({
    // Without a name the router takes its default.
    model: options.model ?? '',
    messages,
    tools,
    ...decodeToolChoice(body.tool_choice, tools),
    sampling: omitUndefined({
      temperature: options.temperature ?? undefined,
      topP: options.top_p ?? undefined,
      topK: options.top_k ?? undefined,
      stop: options.stop_sequences ?? undefined,
      maxOutputTokens: options.max_tokens ?? undefined,
    }),
    reasoning: decodeReasoning(options),
    output: decodeOutput(options),
    stream: options.stream ?? false,
    // Streams of this dialect always carry counts.
    includeUsage: options.stream || undefined,
    user,
    serviceTier: options.service_tier ?? undefined,
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    session: decodeSession(headers, user),
    extra: { [ANTHROPIC_MESSAGES]: keepExtra(body, options, headers) },
  });
}

/**
 * Anthropic's SDK 1.8 asks for conversations kept on the server. This answer, with the details that errors.ts adds,
 * makes it go on without them; see docs/protocols/anthropic-messages.md.
 */
function refuseThread(body: JsonObject): void {
  if (body.thread === undefined || body.thread === null) return;
  throw invalidRequest(
    '`thread` is not supported: this gateway keeps no conversations. Send the whole history in `messages`.',
    'thread',
    'thread_unsupported_request',
  );
}

function parseOptions(body: JsonObject): MessagesOptions {
  const parsed = messagesOptionsSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const key = String(issue?.path[0] ?? 'body');
  throw wrongType(key, issue?.path.length === 1 ? issue.message : 'an array of strings', body[key]);
}

function decodeReasoning(options: MessagesOptions): ReasoningOptions | undefined {
  const { thinking } = options;
  const budget = thinking?.budget_tokens;
  if (budget !== undefined && budget !== null && typeof budget !== 'number') {
    throw wrongType('thinking.budget_tokens', 'a number', budget);
  }
  const type = optionalString(thinking?.type, 'thinking.type');
  const reasoning = omitUndefined({
    effort: optionalString(options.output_config?.effort, 'output_config.effort'),
    budgetTokens: budget ?? undefined,
    enabled: type === undefined ? undefined : type !== 'disabled',
  });
  return Object.keys(reasoning).length > 0 ? reasoning : undefined;
}

/** `output_format` is the older place of the same thing. */
function decodeOutput(options: MessagesOptions): OutputFormat | undefined {
  const path = options.output_config?.format ? 'output_config.format' : 'output_format';
  const format = options.output_config?.format ?? options.output_format;
  if (format === undefined || format === null) return undefined;
  const declared = expectObject(format, path);
  // An unknown kind of format stays in `extra`.
  if (declared.type !== 'json_schema') return undefined;
  return { type: 'json-schema', schema: expectObject(declared.schema, `${path}.schema`) };
}

/** Claude Code names its session in a header; older releases inside `user_id`, as text or as JSON. */
function decodeSession(headers: Headers, user: string | undefined): string | undefined {
  const named =
    headers['x-claude-code-session-id'] ?? headers['x-session-id'] ?? headers['x-session-affinity'];
  if (named) return named;
  const inText = /_session_([\w-]+)$/.exec(user ?? '')?.[1];
  if (inText || !user?.startsWith('{')) return inText;
  try {
    const parsed: unknown = JSON.parse(user);
    return isJsonObject(parsed) && typeof parsed.session_id === 'string' ? parsed.session_id : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What the canon has no word for, `thinking` and `output_config` in their own words, and the two headers an Anthropic
 * upstream must see. Always present: it also says that the request was spoken in this dialect.
 */
function keepExtra(body: JsonObject, options: MessagesOptions, headers: Headers): JsonObject {
  const version = headers['anthropic-version'];
  const beta = headers['anthropic-beta'];
  return omitUndefined({
    ...restOf(body, KNOWN_REQUEST_FIELDS),
    thinking: options.thinking ?? undefined,
    output_config: options.output_config ?? undefined,
    output_format: options.output_format ?? undefined,
    headers:
      version || beta ? omitUndefined({ 'anthropic-version': version, 'anthropic-beta': beta }) : undefined,
  });
}

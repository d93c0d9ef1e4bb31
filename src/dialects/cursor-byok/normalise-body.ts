// Any body that Cursor's servers post to this endpoint, as a plain chat body or a plain Responses body. Nothing is
// mutated, and a body that is plain already comes out as it went in.
import { type JsonObject, type JsonValue, omitUndefined } from '../../core/index.ts';
import { type BodyShape, classifyBody } from './classify-body.ts';
import { normaliseChatOptions, normaliseResponsesOptions } from './normalise-options.ts';
import { forbidsParallelCalls, normaliseToolChoice } from './normalise-tool-choice.ts';
import { readItems } from './read-items.ts';
import { type ReadTool, readTools, writeChatTool, writeResponsesTool } from './read-tools.ts';
import { EMPTY_SPEECH, reconcileResults } from './reconcile-results.ts';
import type { Entry } from './transcript.ts';
import { writeChatMessages } from './write-chat.ts';
import { writeResponsesItems } from './write-responses.ts';

export interface NormalisedBody {
  readonly shape: BodyShape;
  readonly body: JsonObject;
  /** Fields that have no place in the shape, as they came. */
  readonly setAside: JsonObject;
  readonly failedCallIds: readonly string[];
  /** What was changed beyond a mere respelling. */
  readonly repairs: readonly string[];
}

export interface NormaliseOptions {
  readonly cleanAssistantText?: ((text: string) => string) | undefined;
}

export function normaliseBody(source: JsonObject, options: NormaliseOptions = {}): NormalisedBody {
  const shape = classifyBody(source);
  const { tools, repairs: toolRepairs } = readTools(source.tools, source.functions);
  const entries = readConversation(source, shape, tools, options);
  const { entries: reconciled, failedCallIds, repairs } = reconcileResults(entries);
  const isChat = shape === 'chat';
  const write = isChat ? writeChatMessages : writeResponsesItems;
  const written = write(reconciled);
  // A request must ask something: an empty list is refused by every server.
  const items = written.items.length > 0 ? written.items : write([EMPTY_SPEECH]).items;
  const { options: fields, setAside } = isChat
    ? normaliseChatOptions(source)
    : normaliseResponsesOptions(source);
  const body = {
    ...fields,
    [isChat ? 'messages' : 'input']: items,
    ...normaliseToolFields(source, tools, shape),
  };
  return { shape, body, setAside, failedCallIds, repairs: [...toolRepairs, ...repairs, ...written.repairs] };
}

function readConversation(
  source: JsonObject,
  shape: BodyShape,
  tools: readonly ReadTool[],
  options: NormaliseOptions,
): Entry[] {
  const named = (kind: ReadTool['kind']) =>
    new Set(tools.filter((tool) => tool.kind === kind).map((tool) => tool.name));
  const readOptions = { ...options, tools: { custom: named('custom'), functions: named('function') } };
  // A Responses body keeps its instructions in their own field.
  const prompts = shape === 'chat' ? [source.instructions, source.system] : [source.system];
  const lead = prompts.flatMap((prompt): JsonValue[] =>
    prompt === undefined || prompt === null ? [] : [{ role: 'system', content: prompt }],
  );
  const conversation = shape === 'chat' ? source.messages : source.input;
  const items = typeof conversation === 'string' ? [conversation] : conversation;
  return [
    ...readItems(lead, 'system', readOptions),
    ...readItems(Array.isArray(items) ? items : [], shape === 'chat' ? 'messages' : 'input', readOptions),
  ];
}

/** Without tools, a choice among them is refused by most servers. */
function normaliseToolFields(source: JsonObject, tools: readonly ReadTool[], shape: BodyShape): JsonObject {
  if (tools.length === 0) return {};
  const choice = source.tool_choice ?? source.function_call;
  const parallel_tool_calls = forbidsParallelCalls(choice)
    ? false
    : (source.parallel_tool_calls ?? undefined);
  return omitUndefined({
    tools: tools.map(shape === 'chat' ? writeChatTool : writeResponsesTool),
    tool_choice: normaliseToolChoice(choice, tools, shape),
    parallel_tool_calls,
  });
}

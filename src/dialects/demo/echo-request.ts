import { type JsonValue, omitUndefined, type Part, type TurnRequest } from '../../core/index.ts';

const MAX_MESSAGES = 200;
const MAX_TOOLS = 500;

/** What the model received, as JSON: shapes and options, not contents, so that it can be shown around. */
export function echoRequest(request: TurnRequest): string {
  const { messages, tools } = request;
  const seen = omitUndefined({
    model: request.model,
    messageCount: messages.length,
    messages: messages
      .slice(0, MAX_MESSAGES)
      .map(({ role, content }) => ({ role, parts: content.map(describePart) })),
    tools: tools
      .slice(0, MAX_TOOLS)
      .map((tool) => omitUndefined({ kind: tool.kind, name: tool.name, namespace: tool.namespace })),
    toolChoice: request.toolChoice,
    parallelToolCalls: request.parallelToolCalls,
    sampling: request.sampling,
    reasoning: request.reasoning,
    output: request.output?.type,
    verbosity: request.verbosity,
    stream: request.stream,
    includeUsage: request.includeUsage,
    metadataKeys: request.metadata && Object.keys(request.metadata),
    extraKeys:
      request.extra &&
      Object.entries(request.extra).map(
        ([dialect, fields]) => `${dialect}: ${Object.keys(fields).join(', ')}`,
      ),
  });
  return JSON.stringify(seen, null, 2);
}

function describePart(part: Part): JsonValue {
  switch (part.type) {
    case 'text':
    case 'refusal':
    case 'reasoning':
      return { type: part.type, characters: part.text.length };
    case 'tool-call':
      return { type: part.type, name: part.name, callId: part.callId, characters: part.argumentsText.length };
    case 'tool-result':
      return {
        type: part.type,
        callId: part.callId,
        isError: part.isError ?? false,
        parts: part.content.map(describePart),
      };
    case 'image':
    case 'file':
    case 'audio':
      return { type: part.type, source: part.source.type };
    case 'opaque':
      return { type: part.type, dialect: part.dialect };
    default:
      return part satisfies never;
  }
}

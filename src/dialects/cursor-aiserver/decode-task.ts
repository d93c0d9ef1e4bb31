// aiserver.v1 `StreamUnifiedChatRequest` → what the loop is asked.
import { type AgentTask, type IdSource, type ModelAlternative, omitUndefined } from '../../core/index.ts';
import {
  type StreamUnifiedChatRequest,
  StreamUnifiedChatRequest_ThinkingLevel as ThinkingLevel,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { ClientUpstream, ToolMessages } from './aiserver-host.ts';
import { decodeConversation } from './decode-conversation.ts';
import { decodeMode } from './decode-mode.ts';
import { decodeModel } from './decode-model.ts';
import { decodeSurroundings } from './decode-surroundings.ts';
import { HistoryIds } from './history-ids.ts';
import { decodeMcpTools, type McpTool } from './mcp-tools.ts';

const EFFORTS: ReadonlyMap<number, string> = new Map<number, string>([
  [ThinkingLevel.MEDIUM, 'medium'],
  [ThinkingLevel.HIGH, 'high'],
]);

export interface DecodedTask {
  readonly task: AgentTask;
  readonly clientUpstream?: ClientUpstream;
  /** Numbers of the tools that the client runs. */
  readonly supportedNumbers: readonly number[];
  readonly mcpTools: readonly McpTool[];
  readonly ids: HistoryIds;
}

export interface TaskSources {
  readonly messages: ToolMessages;
  readonly listModelAlternatives: (model: string) => readonly ModelAlternative[];
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly newId: IdSource;
  readonly onDrift: (kind: string) => void;
}

/** Throws a GatewayError that names the field at fault. */
export function decodeTask(request: StreamUnifiedChatRequest, sources: TaskSources): DecodedTask {
  const { messages, onDrift, headers, newId } = sources;
  const ids = new HistoryIds();
  const mode = decodeMode(request);
  const { clientUpstream, ...model } = decodeModel(request.modelDetails, sources.listModelAlternatives);
  const effort = EFFORTS.get(request.thinkingLevel ?? ThinkingLevel.UNSPECIFIED);
  const append = systemText(request);
  const task: AgentTask = omitUndefined({
    runId: newId('run_'),
    ...model,
    mode,
    messages: decodeConversation(request, { messages, ids, onDrift }),
    surroundings: decodeSurroundings(request, headers),
    systemPrompt: append === '' ? undefined : { append },
    reasoning: effort === undefined ? undefined : { effort },
    session: request.conversationId || undefined,
  });
  const isToolless = request.shouldDisableTools === true;
  return omitUndefined({
    task,
    clientUpstream,
    supportedNumbers: isToolless ? [] : supportedNumbers(request),
    mcpTools: isToolless ? [] : decodeMcpTools(request.mcpTools, onDrift),
    ids,
  });
}

/** Public gateways repeat the list on the last message; a client that puts it only there is understood too. */
function supportedNumbers(request: StreamUnifiedChatRequest): readonly number[] {
  if (request.supportedTools.length > 0) return request.supportedTools;
  return (
    request.conversation.findLast(({ supportedTools }) => supportedTools.length > 0)?.supportedTools ?? []
  );
}

/** What stands in for system messages: public gateways put theirs into `context`, IDEs the user's own rules. */
function systemText({ explicitContext, customPlanningInstructions }: StreamUnifiedChatRequest): string {
  return [
    explicitContext?.context,
    explicitContext?.repoContext,
    explicitContext?.modeSpecificContext,
    customPlanningInstructions,
  ]
    .filter((text) => text !== undefined && text.trim() !== '')
    .join('\n\n');
}

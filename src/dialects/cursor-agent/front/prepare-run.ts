// From a request to everything that a run works with: the conversation as it stands, the client's surroundings, and the
// task for the loop.
import { type AgentTask, omitUndefined, type ToolCallPart } from '../../../core/index.ts';
import type { ConversationAction } from '../../../gen/agent/v1/conversation_action_pb.ts';
import type { RequestContext } from '../../../gen/agent/v1/request_context_pb.ts';
import type { ToolCall } from '../../../gen/agent/v1/tool_call_pb.ts';
import { Checkpoints } from './checkpoints.ts';
import type { ClientLink } from './client-link.ts';
import { type Commission, hashCommission } from './commission.ts';
import { Conversation } from './conversation.ts';
import { ConversationBlobs } from './conversation-blobs.ts';
import { countUnknown } from './count-unknown.ts';
import { decodeModel, type ModelChoice } from './decode-model.ts';
import { decodePromptSpec, decodeSurroundings } from './decode-surroundings.ts';
import { EventWriter } from './event-writer.ts';
import { isSameRequest, KeptConversations, type RequestMark } from './kept-conversations.ts';
import { joinTools, learnContext } from './learn-context.ts';
import { offerBlobs } from './offer-blobs.ts';
import { isBlankState, type RunSetup } from './run-setup.ts';
import { SessionPort } from './session-port.ts';

/** What everything after the preparation needs. */
export interface PreparedRun {
  readonly link: ClientLink;
  readonly conversation: Conversation;
  readonly blobs: ConversationBlobs;
  readonly checkpoints: Checkpoints;
  readonly writer: EventWriter;
  readonly port: SessionPort;
  readonly model: ModelChoice;
  readonly runId: string;
  readonly requestId: string | undefined;
  /** The same request was made before: its run had begun, and goes on. */
  readonly isAgain: boolean;
  /** The task as the conversation stands now. */
  makeTask(): AgentTask;
  drawCall(call: DrawableCall): ToolCall | undefined;
}

export type DrawableCall = Pick<ToolCallPart, 'callId' | 'name' | 'argumentsText'>;

export async function prepareRun(
  link: ClientLink,
  setup: RunSetup,
  action: ConversationAction,
  commission: Commission,
): Promise<PreparedRun> {
  const { documents, onDrift, headers, newId, nowMs } = link.context;
  const { request } = setup;
  const blobs = new ConversationBlobs({ documents, kv: link.kv, given: request.preFetchedBlobs, onDrift });
  const learning = learnContext({
    given: commission.context,
    parts: action.requestContextParts,
    exec: link.exec,
    blobs,
    timers: link.timers,
    signal: link.signal,
  });
  const { conversation, checkpoints, isAgain } = await openConversation(link, setup, action, blobs);
  const requestContext = await learning;
  countUnknown(requestContext, onDrift);
  link.check();

  const model = decodeModel(request);
  const runId = ('runId' in request && request.runId) || newId('run_');
  const port = new SessionPort({
    exec: link.exec,
    query: link.query,
    outbox: link.outbox,
    conversation,
    requestContext,
    mcpTools: joinTools(request.mcpTools?.mcpTools ?? [], requestContext),
    allowedTools: readAllowedTools(headers['x-cursor-agent-allowed-tools']),
    modelCallId: () => writer.modelCallId,
  });
  const drawCall = (call: DrawableCall): ToolCall | undefined => {
    try {
      return link.host.describeCall(call, port);
    } catch {
      return undefined; // a tool that nobody knows; the loop tells the model so
    }
  };
  const writer = new EventWriter({
    outbox: link.outbox,
    nowMs,
    drawCall: (callId, name) => drawCall({ callId, name, argumentsText: '' }),
  });
  void learnWindow(link, conversation, model);
  return {
    link,
    conversation,
    blobs,
    checkpoints,
    writer,
    port,
    model,
    runId,
    requestId: headers['x-request-id'],
    isAgain,
    makeTask: () => buildTask({ setup, conversation, model, requestContext, runId }),
    drawCall,
  };
}

/** The conversation as the request finds it: in the client's state, or in what we kept when the client has none. */
async function openConversation(
  link: ClientLink,
  { request, conversationId }: RunSetup,
  action: ConversationAction,
  blobs: ConversationBlobs,
): Promise<Pick<PreparedRun, 'conversation' | 'checkpoints' | 'isAgain'>> {
  const { documents, onDrift, headers } = link.context;
  const mark: RequestMark = {
    originalId: headers['x-original-request-id'] ?? headers['x-request-id'],
    action: hashCommission(action),
  };
  const kept = new KeptConversations(documents, onDrift);
  const known = await kept.find(conversationId);
  // A stream that is asked for again is the same request; else only the client's own word says so.
  const isAgain =
    known !== undefined &&
    (link.isRepeated ? known.mark.action === mark.action : isSameRequest(known.mark, mark));
  const isOurs = isAgain || isBlankState(request.conversationState);
  const state = isOurs ? known?.state : request.conversationState;
  // A client that sends blobs along sends all that it has of a state.
  blobs.clientLacksThem = isOurs || request.preFetchedBlobs.length > 0;
  if (isOurs && state) await offerBlobs(state, blobs);
  const conversation = await Conversation.load({ state, blobs, onDrift });
  const checkpoints = new Checkpoints(
    { conversation, conversationId, blobs, kept, mark, outbox: link.outbox },
    isAgain ? known.runStart : conversation.length,
  );
  return { conversation, checkpoints, isAgain };
}

interface TaskParts {
  readonly setup: RunSetup;
  readonly conversation: Conversation;
  readonly model: ModelChoice;
  readonly requestContext: RequestContext | undefined;
  readonly runId: string;
}

function buildTask({ setup, conversation, model, requestContext, runId }: TaskParts): AgentTask {
  const { request, conversationId } = setup;
  const spec = 'systemPromptSpec' in request ? request.systemPromptSpec : undefined;
  const subagent = requestContext?.customSubagents.find(({ name }) => name === request.subagentTypeName);
  return omitUndefined({
    runId,
    model: model.model,
    modelAlternatives: model.modelAlternatives,
    mode: conversation.mode,
    messages: conversation.messages,
    surroundings: requestContext && decodeSurroundings(requestContext, request.excludeWorkspaceContext),
    systemPrompt: decodePromptSpec(
      [spec, requestContext?.systemPromptOverride],
      request.customSystemPrompt || subagent?.prompt,
    ),
    reasoning: model.reasoning,
    session: conversationId === '' ? undefined : conversationId,
  });
}

/** Says how large the window is, for the bar that clients draw; nothing waits for it. */
async function learnWindow(
  { host, context }: ClientLink,
  conversation: Conversation,
  { model }: ModelChoice,
): Promise<void> {
  try {
    const models = await host.listModels(context);
    const found = model === '' ? models[0] : models.find(({ id }) => id === model);
    if (found?.contextWindow !== undefined) conversation.maxTokens = found.contextWindow;
  } catch {
    // An upstream that does not answer is told by the run itself.
  }
}

/** An empty list allows none; no header allows all. */
function readAllowedTools(header: string | undefined): readonly string[] | undefined {
  return header
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

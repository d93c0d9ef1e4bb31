// The first message of a run (`AgentRunRequest`), made from a whole stateless conversation.
// Known from public clients and the observed official SDK; which prompt channel a backend obeys best is not settled,
// so the channel is a choice (see PROMPT_STRATEGIES in agent-settings.ts and docs/protocols/cursor-agent.md).
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Message, TurnRequest, Warning } from '../../core/index.ts';
import type { ConversationActionSchema } from '../../gen/agent/v1/conversation_action_pb.ts';
import type { ConversationStateStructure } from '../../gen/agent/v1/conversation_state_pb.ts';
import type { RequestContext } from '../../gen/agent/v1/request_context_pb.ts';
import { type AgentRunRequest, AgentRunRequestSchema } from '../../gen/agent/v1/run_pb.ts';
import type { AgentSettings } from './agent-settings.ts';
import { AgentTools } from './agent-tools.ts';
import type { BlobStore } from './blob-store.ts';
import { encodeContext } from './encode-context.ts';
import { encodeHistoryField, encodePlainText, encodePromptBlobs } from './encode-history.ts';
import { chooseModel } from './encode-model.ts';
import { historyEntries, imagesOf, readableText } from './history-entries.ts';
import { isToolAllowed, writeRules } from './prompt-rules.ts';
import { splitConversation } from './split-conversation.ts';
import { uuidOf } from './uuid-of.ts';
import { readWorkspaceHint } from './workspace-hint.ts';

export interface RunPlan {
  readonly request: AgentRunRequest;
  /** Sent again when the backend asks for it, which it nearly always does. */
  readonly context: RequestContext;
  readonly tools: AgentTools;
  readonly conversationId: string;
  /** The caller asked for the upstream's own web tools, so their use is approved. */
  readonly approvesWeb: boolean;
  readonly warnings: readonly Warning[];
  readonly isResumed: boolean;
}

export interface EncodeRunOptions {
  readonly turn: TurnRequest;
  readonly settings: AgentSettings;
  readonly blobs: BlobStore;
  readonly conversationId: string;
  readonly turnId: string;
  readonly knownModels: ReadonlySet<string>;
  /** Take the run up from here, instead of from the messages. */
  readonly checkpoint?: ConversationStateStructure | undefined;
}

type ActionInit = MessageInitShape<typeof ConversationActionSchema>;

export function encodeRun(options: EncodeRunOptions): RunPlan {
  const { turn, settings, conversationId, checkpoint } = options;
  const tools = new AgentTools(turn.tools.filter((tool) => isToolAllowed(tool, turn.toolChoice)));
  const { system, history, current } = splitConversation(turn.messages);
  const { toolChoice, parallelToolCalls, output } = turn;
  const rules = writeRules({ system, tools, toolChoice, parallelToolCalls, output });
  const { promptStrategy } = settings;
  const approvesWeb = turn.tools.some(
    (tool) => tool.kind === 'hosted' && /web|search/i.test(tool.hostedType),
  );
  const context = encodeContext({
    tools,
    cloudRule: promptStrategy === 'cloud-rule' ? rules : undefined,
    workspace: readWorkspaceHint(system),
    webSearch: approvesWeb,
  });
  const { requested, details } = chooseModel({
    model: turn.model,
    reasoning: turn.reasoning,
    maxMode: settings.maxMode,
    knownModels: options.knownModels,
  });
  const usesCustomPrompt = promptStrategy === 'custom-prompt' || promptStrategy === 'history-field';
  const action = checkpoint
    ? resumeAction(context)
    : encodeAction({ options, tools, history, current, rules, context });
  const request = create(AgentRunRequestSchema, {
    // Never left out, never empty: the backend refuses a run without it.
    conversationState: checkpoint ?? { mode: settings.mode, rootPromptMessagesJson: action.prompt },
    action: action.action,
    modelDetails: details,
    requestedModel: requested,
    mcpTools: { mcpTools: tools.encode() },
    conversationId,
    ...(usesCustomPrompt && rules !== '' ? { customSystemPrompt: rules } : {}),
    preFetchedBlobs: action.prefetched,
  });
  return {
    request,
    context,
    tools,
    conversationId,
    approvesWeb,
    warnings: noteIgnored(turn),
    isResumed: checkpoint !== undefined,
  };
}

interface EncodedAction {
  readonly action: ActionInit;
  readonly prompt: Uint8Array[];
  readonly prefetched: { id: Uint8Array; value: Uint8Array }[];
}

interface ActionOptions {
  readonly options: EncodeRunOptions;
  readonly tools: AgentTools;
  readonly history: readonly Message[];
  readonly current: readonly Message[];
  readonly rules: string;
  readonly context: RequestContext;
}

function encodeAction({ options, tools, history, current, rules, context }: ActionOptions): EncodedAction {
  const { settings, turnId, blobs } = options;
  const entries = historyEntries(history, tools);
  const usesBlobs = settings.promptStrategy === 'cloud-rule' || settings.promptStrategy === 'custom-prompt';
  const prompt = usesBlobs ? encodePromptBlobs(entries, blobs) : [];
  const prefetched = prompt.flatMap((id) => {
    const value = blobs.peek(id);
    return value ? [{ id, value }] : [];
  });
  // The state holds all that was said; there is nothing new to say.
  if (usesBlobs && current.length === 0) return { ...resumeAction(context), prompt, prefetched };
  const content = current.flatMap((message) => message.content);
  const said = readableText(content) || 'Continue.';
  const isPlain = settings.promptStrategy === 'plain-text';
  const parts = isPlain ? [wrapRules(rules), encodePlainText(entries), said] : [said];
  const images = imagesOf(content).map(({ data, mediaType }) => ({
    // The same picture keeps its name: old ones under new names were answered with "Image not found".
    uuid: uuidOf(data),
    mimeType: mediaType,
    dataOrBlobId: { case: 'data' as const, value: new Uint8Array(Buffer.from(data, 'base64')) },
  }));
  const action: ActionInit = {
    action: {
      case: 'userMessageAction',
      value: {
        userMessage: {
          text: parts.filter((part) => part !== '').join('\n\n'),
          messageId: uuidOf(`message ${turnId}`),
          mode: settings.mode,
          ...(images.length > 0 ? { selectedContext: { selectedImages: images } } : {}),
        },
        requestContext: context,
        ...(settings.promptStrategy === 'history-field' && entries.length > 0
          ? { conversationHistory: encodeHistoryField(entries) }
          : {}),
      },
    },
  };
  return { action, prompt, prefetched };
}

function resumeAction(context: RequestContext): EncodedAction {
  return {
    action: { action: { case: 'resumeAction', value: { requestContext: context } } },
    prompt: [],
    prefetched: [],
  };
}

function wrapRules(rules: string): string {
  return rules === '' ? '' : `<rules>\n${rules}\n</rules>`;
}

function noteIgnored(turn: TurnRequest): Warning[] {
  const { choices: _one, ...sampling } = turn.sampling;
  const ignored = Object.entries(sampling).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (ignored.length === 0) return [];
  const message = `The agent protocol has no field for ${ignored.join(', ')}; the backend's own settings apply.`;
  return [{ type: 'warning', code: 'option-dropped', message }];
}

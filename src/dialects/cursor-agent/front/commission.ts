// What a client asks of a conversation (agent.v1 ConversationAction), reduced to the few things that can be done: say
// something to the model, take a run up again, compact, run the user's command, cancel, or refuse in words.
import { create, toBinary, toJsonString } from '@bufbuild/protobuf';
import { type Mode, omitUndefined } from '../../../core/index.ts';
import {
  type AsyncAskQuestionCompletionAction,
  type BackgroundTaskCompletion,
  BackgroundTaskStatus,
  type ConversationAction,
  ConversationActionSchema,
  type ConversationHistory,
  type ExecutePlanAction,
  type InterruptedPendingToolCallResolutions,
} from '../../../gen/agent/v1/conversation_action_pb.ts';
import type { RequestContext } from '../../../gen/agent/v1/request_context_pb.ts';
import { AskQuestionResultSchema } from '../../../gen/agent/v1/tool_planning_pb.ts';
import { type UserMessage, UserMessageSchema } from '../../../gen/agent/v1/user_message_pb.ts';
import { decodeMode } from './decode-mode.ts';
import { hashAction } from './kept-conversations.ts';

export interface SayCommission {
  readonly type: 'say';
  readonly messages: readonly UserMessage[];
  readonly mode?: Mode;
  readonly plan?: string;
  /** A history that the client hands over with its words. */
  readonly history?: ConversationHistory;
  readonly resolutions?: InterruptedPendingToolCallResolutions;
  /** Set when the client waits to hear what became of words that it sent during a run. */
  readonly injectionId?: string;
}

export type Commission = (
  | SayCommission
  | { readonly type: 'resume' }
  | { readonly type: 'summarize' }
  | { readonly type: 'shell'; readonly command: string; readonly execId: string }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'background-shell'; readonly toolCallId: string }
  | { readonly type: 'refused'; readonly reason: string }
) & { readonly context?: RequestContext };

export function decodeAction({ action, $unknown }: ConversationAction): Commission {
  switch (action.case) {
    case 'userMessageAction': {
      const { userMessage, prependUserMessages, requestContext, conversationHistory } = action.value;
      const messages = [...prependUserMessages, ...(userMessage ? [userMessage] : [])];
      return omitUndefined({
        type: 'say' as const,
        messages,
        // The official SDK names only plan mode; a message that names none is meant for agent mode.
        mode: decodeMode(userMessage?.mode) ?? 'agent',
        history: conversationHistory,
        resolutions: action.value.interruptedPendingToolCallResolutions,
        context: requestContext,
      });
    }
    case 'startPlanAction': {
      const { userMessage, requestContext } = action.value;
      const messages = userMessage ? [userMessage] : [];
      return omitUndefined({
        type: 'say' as const,
        messages,
        mode: 'plan' as const,
        context: requestContext,
      });
    }
    case 'executePlanAction':
      return executePlan(action.value);
    case 'asyncAskQuestionCompletionAction':
      return { type: 'say', messages: [simulated(tellAnswer(action.value))] };
    case 'backgroundTaskCompletionAction': {
      const { completions } = action.value;
      return { type: 'say', messages: [simulated(completions.map(tellCompletion).join('\n'))] };
    }
    case 'subscriptionNotificationAction': {
      const { notifications, requestContext } = action.value;
      return omitUndefined({ type: 'say' as const, messages: notifications, context: requestContext });
    }
    case 'goalContinuationAction':
      return { type: 'say', messages: [simulated('Go on working towards the goal of this conversation.')] };
    case 'injectContextAction': {
      const { injectionId, payload } = action.value;
      if (payload.case === 'userContext') {
        const { userMessage, requestContext } = payload.value;
        const messages = userMessage ? [userMessage] : [];
        return omitUndefined({ type: 'say' as const, messages, injectionId, context: requestContext });
      }
      const words = payload.case === 'systemContext' ? payload.value.content : '';
      return { type: 'say', messages: words === '' ? [] : [simulated(words)], injectionId };
    }
    case 'resumeAction':
      return omitUndefined({ type: 'resume' as const, context: action.value.requestContext });
    case 'summarizeAction':
      return { type: 'summarize' };
    case 'shellCommandAction': {
      const { shellCommand, execId } = action.value;
      return { type: 'shell', command: shellCommand?.command ?? '', execId };
    }
    case 'cancelAction':
      return { type: 'cancel', reason: action.value.reason };
    case 'backgroundShellAction':
      return { type: 'background-shell', toolCallId: action.value.toolCallId };
    case 'backgroundSubagentAction':
      return refused(
        'A running sub-agent cannot be moved to the background here; wait for it, or cancel the run.',
      );
    case 'cancelSubagentAction':
      return refused('A single sub-agent cannot be cancelled here; cancel the whole run instead.');
    case undefined: {
      const numbers = ($unknown ?? []).map(({ no }) => no).join(', ');
      return refused(
        numbers === ''
          ? 'The request names no action; send a user_message_action.'
          : `This server does not know the action with field number ${numbers}; send a user_message_action.`,
      );
    }
    default:
      return action satisfies never;
  }
}

/** A hash of what is asked, the same when it is asked again. */
export function hashCommission(action: ConversationAction): string {
  // The context may differ from one try to the next; the words do not.
  const { userMessage } = action.action.case === 'userMessageAction' ? action.action.value : {};
  return hashAction(
    userMessage ? toBinary(UserMessageSchema, userMessage) : toBinary(ConversationActionSchema, action),
  );
}

function executePlan(action: ExecutePlanAction): Commission {
  const { plan, planFileContent, planFilePath, planFileUri, executionMode, requestContext } = action;
  const text = planFileContent || plan?.plan || '';
  const where = planFilePath || planFileUri;
  const order = where ? `Carry out the plan in ${where}.` : 'Carry out the plan.';
  return omitUndefined({
    type: 'say' as const,
    messages: [simulated(text === '' ? order : `${order}\n\n${text}`)],
    mode: decodeMode(executionMode) ?? 'agent',
    plan: text === '' ? undefined : text,
    context: requestContext,
  });
}

/** The answer to a question that the run did not wait for. */
function tellAnswer({ originalArgs, result }: AsyncAskQuestionCompletionAction): string {
  const questions = originalArgs?.questions ?? [];
  const outcome = result?.result;
  if (outcome?.case !== 'success') {
    const words = result ? toJsonString(AskQuestionResultSchema, result) : 'no answer';
    return `My answer to your earlier question: ${words}`;
  }
  const lines = outcome.value.answers.map(({ questionId, selectedOptionIds, freeformText }) => {
    const question = questions.find(({ id }) => id === questionId);
    const chosen = selectedOptionIds.map(
      (id) => question?.options.find((option) => option.id === id)?.label ?? id,
    );
    return `${question?.prompt ?? questionId}: ${[...chosen, freeformText].filter(Boolean).join(', ')}`;
  });
  return `My answer to your earlier question:\n${lines.join('\n')}`;
}

function tellCompletion(completion: BackgroundTaskCompletion): string {
  const { title, taskId, status, detail, outputPath } = completion;
  const outcome =
    status === BackgroundTaskStatus.ERROR
      ? 'failed'
      : status === BackgroundTaskStatus.ABORTED
        ? 'was aborted'
        : 'is done';
  const where = outputPath ? ` Its output is in ${outputPath}.` : '';
  return `The background task ${JSON.stringify(title || taskId)} ${outcome}.${detail ? ` ${detail}` : ''}${where}`;
}

/** Words that the client sends on the user's behalf. */
function simulated(text: string): UserMessage {
  return create(UserMessageSchema, { text, isSimulatedMsg: true });
}

function refused(reason: string): Commission {
  return { type: 'refused', reason };
}

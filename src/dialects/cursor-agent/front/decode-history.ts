// A plain history that a client hands over without blobs (agent.v1 ConversationHistory, seen in the newest schemas only).
import {
  type ImagePart,
  type Message,
  omitUndefined,
  type Part,
  type TextPart,
  type ToolResultPart,
} from '../../../core/index.ts';
import type {
  ConversationHistory,
  ConversationHistoryAssistantContent,
  ConversationHistoryImageContent,
  ConversationHistoryUserContent,
  InterruptedPendingToolCallResolutions,
} from '../../../gen/agent/v1/conversation_action_pb.ts';
import type { ShellResult } from '../../../gen/agent/v1/exec_shell_pb.ts';

export function decodeHistory({ messages }: ConversationHistory): Message[] {
  return messages.flatMap(({ message }): Message[] => {
    switch (message.case) {
      case 'user':
        return [{ role: 'user', content: message.value.content.flatMap(readMedia) }];
      case 'assistant':
        return [{ role: 'assistant', content: message.value.content.flatMap(readAssistant) }];
      case 'tool': {
        const { toolCallId, toolName, content, isError } = message.value;
        const part = omitUndefined({
          type: 'tool-result' as const,
          callId: toolCallId,
          name: toolName === '' ? undefined : toolName,
          content: content.flatMap(readMedia),
          isError: isError === true ? true : undefined,
        });
        return [{ role: 'tool', content: [part] }];
      }
      default:
        return [];
    }
  });
}

/** Results of calls that a cancelled run had left open. */
export function decodeResolutions(
  given: InterruptedPendingToolCallResolutions | undefined,
): ReadonlyMap<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (const { toolCallId, resolution } of given?.resolutions ?? []) {
    if (resolution.case === undefined) continue;
    const text =
      resolution.case === 'shellResult' ? tellShell(resolution.value) : tellTask(resolution.value.result);
    results.set(toolCallId, { type: 'tool-result', callId: toolCallId, content: [{ type: 'text', text }] });
  }
  return results;
}

export function tellShell({ result }: ShellResult): string {
  switch (result.case) {
    case 'success':
    case 'failure': {
      const { stdout, stderr, exitCode } = result.value;
      return [`Exit code ${exitCode}.`, stdout, stderr].filter((text) => text !== '').join('\n');
    }
    case undefined:
      return 'The command was interrupted.';
    default:
      return `The command was not run to its end (${result.case}).`;
  }
}

function tellTask(result: { case: string | undefined; value?: object | undefined }): string {
  const words = Object.values(result.value ?? {}).filter(
    (value) => typeof value === 'string' && value !== '',
  );
  return `The task ended: ${[result.case ?? 'interrupted', ...words.slice(1)].join('\n')}`;
}

function readMedia({
  content,
}: ConversationHistoryUserContent | { content: MediaContent }): (TextPart | ImagePart)[] {
  if (content.case === 'text') return [{ type: 'text', text: content.value.text }];
  if (content.case !== 'image') return [];
  const { data, mimeType } = content.value;
  return [{ type: 'image', source: omitUndefined({ type: 'base64' as const, data, mediaType: mimeType }) }];
}
type MediaContent =
  | { case: 'text'; value: { text: string } }
  | { case: 'image'; value: ConversationHistoryImageContent }
  | { case: undefined; value?: undefined };

function readAssistant({ content }: ConversationHistoryAssistantContent): Part[] {
  switch (content.case) {
    case 'text':
      return [{ type: 'text', text: content.value.text }];
    case 'reasoning': {
      const { text, signature } = content.value;
      return [omitUndefined({ type: 'reasoning' as const, text, form: 'raw' as const, signature })];
    }
    case 'redactedReasoning':
      return [{ type: 'reasoning', text: '', form: 'redacted', encrypted: content.value.data }];
    case 'toolCall': {
      const { toolCallId, toolName, argsJson } = content.value;
      const call = { callId: toolCallId, name: toolName, kind: 'function' as const, argumentsText: argsJson };
      return [{ type: 'tool-call', ...call }];
    }
    default:
      return [];
  }
}

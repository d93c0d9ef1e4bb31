// aiserver.v1 `ChatService/GetConversationSummary`: one turn beside any run that puts a conversation into fewer words.
import type { MessageInitShape } from '@bufbuild/protobuf';
import { GatewayError, type Message, type TurnRequest, textOf } from '../../core/index.ts';
import type { StreamUnifiedChatRequest } from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { ConversationSummarySchema } from '../../gen/aiserver/v1/common_pb.ts';
import type { NativeContext } from '../native-front.ts';
import type { AiserverHost } from './aiserver-host.ts';
import { decodeTask } from './decode-task.ts';

const ORDER =
  'Summarize this conversation for somebody who has to carry on with it and cannot read it: what the user wants, what was decided and why, which files and commands matter, what is done and what is still open. Keep names, paths and numbers exact. Answer with the summary alone.';

export async function summarizeConversation(
  request: StreamUnifiedChatRequest,
  host: AiserverHost,
  context: NativeContext,
): Promise<MessageInitShape<typeof ConversationSummarySchema>> {
  const { task, clientUpstream } = decodeTask(request, {
    messages: host.messages,
    listModelAlternatives: (model) => host.listModelAlternatives(model),
    headers: context.headers,
    newId: context.newId,
    onDrift: context.onDrift,
  });
  if (clientUpstream) {
    throw new GatewayError(
      'unimplemented',
      'Summaries are made by the gateway’s own models: choose one of them instead of a server of the client’s own.',
    );
  }
  const turn: TurnRequest = {
    model: task.model,
    ...(task.modelAlternatives ? { modelAlternatives: task.modelAlternatives } : {}),
    messages: [
      { role: 'user', content: [{ type: 'text', text: `${ORDER}\n\n${transcript(task.messages)}` }] },
    ],
    tools: [],
    sampling: {},
    stream: false,
  };
  const { error, content } = await host.runTurn(turn, context);
  if (error) throw error;
  const last = request.conversation.findLast(({ bubbleId }) => bubbleId !== '')?.bubbleId ?? '';
  return { summary: textOf(content), truncationLastBubbleIdInclusive: last, includesToolResults: true };
}

/** As text: calls without their tools are not taken by every model server. */
function transcript(messages: readonly Message[]): string {
  return messages
    .flatMap(({ role, content }) =>
      content.flatMap((part) => {
        if (part.type === 'text') return [`${role}: ${part.text}`];
        if (part.type === 'tool-call') return [`${role} calls ${part.name}: ${part.argumentsText}`];
        return part.type === 'tool-result'
          ? [`result of ${part.name ?? 'a call'}: ${textOf(part.content)}`]
          : [];
      }),
    )
    .join('\n\n');
}

import type { MessageInitShape } from '@bufbuild/protobuf';
import { omitUndefined } from '../../../core/index.ts';
import type { AskQuestionArgsSchema, AskQuestionResult } from '../../../gen/agent/v1/tool_planning_pb.ts';
import { type Answers, type Question, type UserPort, userPort } from '../../builtin/planning/user-port.ts';
import { Resources } from '../../resources.ts';
import { succeed } from '../../tool-outcome.ts';
import { defineRemoteTool, type RemoteCall, type RemoteTool } from '../remote-tool.ts';
import { serverContext } from '../server-context.ts';
import { askClient } from './ask-client.ts';

/** The questions and the words for the answers are the built-in tool's; only the way to the user is another. */
export const askQuestion: RemoteTool = defineRemoteTool('ask_question', {
  async run(args, call) {
    let result: AskQuestionResult | undefined;
    const resources = new Resources();
    const user: Pick<UserPort, 'ask'> = {
      async ask(title, questions) {
        result = await put(title, questions, call);
        return answersOf(result);
      },
    };
    resources.set(userPort, user as UserPort); // the one method that this tool calls
    const outcome = await askQuestion.tool.run(args, serverContext(call, resources));
    if (result?.result.case !== 'async') return { outcome, result };
    const later = succeed('The user will answer later; the answer comes as a message of its own.');
    return { outcome: later, result, endsRun: true };
  },
});

async function put(
  title: string,
  questions: readonly Question[],
  call: RemoteCall,
): Promise<AskQuestionResult | undefined> {
  const args: MessageInitShape<typeof AskQuestionArgsSchema> = {
    title,
    questions: questions.map(({ id, prompt, options, allowMultiple }) => ({
      id,
      prompt,
      allowMultiple,
      options: options.map((option) => ({ ...option })),
    })),
  };
  const answer = await askClient(call, {
    case: 'askQuestionInteractionQuery',
    value: { args, toolCallId: call.callId },
  });
  return answer.case === 'askQuestionInteractionResponse' ? answer.value.result : undefined;
}

function answersOf(result: AskQuestionResult | undefined): Answers {
  switch (result?.result.case) {
    case 'success':
      return {
        type: 'answered',
        answers: result.result.value.answers.map(({ questionId, selectedOptionIds, freeformText }) =>
          omitUndefined({
            questionId,
            selectedOptionIds,
            freeformText: freeformText === '' ? undefined : freeformText,
          }),
        ),
      };
    case 'rejected':
      return dismissed(result.result.value.reason);
    case 'error':
      return dismissed(result.result.value.errorMessage);
    default:
      return dismissed('the client gave no answer');
  }
}

function dismissed(reason: string): Answers {
  return reason === '' ? { type: 'dismissed' } : { type: 'dismissed', reason };
}

import type { MessageInitShape } from '@bufbuild/protobuf';
import type {
  InteractionQuery,
  InteractionResponseSchema,
} from '../../../src/gen/agent/v1/interaction_query_pb.ts';

export type QueryReply = NonNullable<
  Exclude<MessageInitShape<typeof InteractionResponseSchema>, { $typeName: string }>['result']
>;

/** The user at the keyboard. Without one, requests are approved and the first option of every question is taken. */
export type AnswerQuery = (query: InteractionQuery) => QueryReply | undefined;

/** Undefined for a query that this client does not know: it answers with the id alone, as the SDK does. */
export function approve({ query }: InteractionQuery): QueryReply | undefined {
  const approved = { result: { case: 'approved' as const, value: {} } };
  switch (query.case) {
    case 'webSearchRequestQuery':
      return { case: 'webSearchRequestResponse', value: approved };
    case 'webFetchRequestQuery':
      return { case: 'webFetchRequestResponse', value: approved };
    case 'switchModeRequestQuery':
      return { case: 'switchModeRequestResponse', value: approved };
    case 'askQuestionInteractionQuery': {
      const answers = (query.value.args?.questions ?? []).map((question) => ({
        questionId: question.id,
        selectedOptionIds: question.options.slice(0, 1).map(({ id }) => id),
      }));
      const result = { case: 'success' as const, value: { answers } };
      return { case: 'askQuestionInteractionResponse', value: { result: { result } } };
    }
    case 'createPlanRequestQuery': {
      const result = { planUri: 'file:///plan.md', result: { case: 'success' as const, value: {} } };
      return { case: 'createPlanRequestResponse', value: { result } };
    }
    default:
      return undefined;
  }
}

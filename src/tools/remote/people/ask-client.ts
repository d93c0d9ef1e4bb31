import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { InteractionQuerySchema } from '../../../gen/agent/v1/interaction_query_pb.ts';
import type { QueryAnswer } from '../../../native/remote-port.ts';
import { fail, type ToolFailure } from '../../tool-outcome.ts';
import type { RemoteCall } from '../remote-tool.ts';

export type QueryInit = NonNullable<MessageInitShape<typeof InteractionQuerySchema>['query']>;

export function askClient(call: RemoteCall, query: QueryInit): Promise<QueryAnswer> {
  return call.session.port.query(create(InteractionQuerySchema, { query }).query, call.signal);
}

/** The shape that all approvals of the protocol share. */
interface Approval {
  readonly result:
    | { readonly case: 'approved' }
    | { readonly case: 'rejected'; readonly value: { readonly reason: string } }
    | { readonly case: string | undefined };
}

/** Undefined when the user agrees. A client that does not know the question has not agreed. */
export function refusalIn(
  answer: QueryAnswer,
  wanted: QueryAnswer['case'],
  what: string,
): ToolFailure | undefined {
  if (answer.case !== wanted || answer.case === undefined)
    return fail(
      'UNAVAILABLE',
      `The client cannot ask its user about ${what}, so it was not done. Go on without it.`,
    );
  const { result } = answer.value as Approval; // the cases asked for here are approvals
  if (result.case === 'approved') return undefined;
  const reason = 'value' in result ? result.value.reason.trim() : '';
  return fail(
    'DENIED',
    `The user refused ${what}${reason === '' ? '' : `: ${reason.replace(/[.\s]*$/, '')}`}. It was not done. Go on without it, or ask the user what to do instead.`,
  );
}

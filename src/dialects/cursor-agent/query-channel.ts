// Questions of the backend to the user in front of a client. A stateless caller has nobody to ask: each gets a typed
// answer at once. Web tools are approved only when the caller asked for them.
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import {
  type InteractionQuery,
  type InteractionResponse,
  InteractionResponseSchema,
  WebSearchRequestResponseSchema,
} from '../../gen/agent/v1/interaction_query_pb.ts';
import { type AgentClientMessage, AgentClientMessageSchema } from '../../gen/agent/v1/run_pb.ts';

const NOBODY = 'Nobody can be asked here. Go on with what is known, or ask in your answer.';
const NO_WEB = 'The web tools of the backend are not enabled in this conversation.';

export interface QueryAnswer {
  readonly frame: AgentClientMessage;
  /** The number of the question where it is none of the known ones. */
  readonly unknownField?: number | undefined;
}

export function answerQuery(query: InteractionQuery, approvesWeb: boolean): QueryAnswer {
  const result = chooseResult(query, approvesWeb);
  const response = create(InteractionResponseSchema, { id: query.id, ...(result ? { result } : {}) });
  const unknownField = result ? undefined : rejectUnknown(query, response);
  const frame = create(AgentClientMessageSchema, {
    message: { case: 'interactionResponse', value: response },
  });
  return { frame, unknownField };
}

type ResultInit = NonNullable<MessageInitShape<typeof InteractionResponseSchema>['result']>;

function chooseResult({ query }: InteractionQuery, approvesWeb: boolean): ResultInit | undefined {
  const web = approvesWeb ? approved() : rejected(NO_WEB);
  switch (query.case) {
    case 'webSearchRequestQuery':
      return { case: 'webSearchRequestResponse', value: web };
    case 'webFetchRequestQuery':
      return { case: 'webFetchRequestResponse', value: web };
    case 'exaSearchRequestQuery':
      return { case: 'exaSearchRequestResponse', value: web };
    case 'exaFetchRequestQuery':
      return { case: 'exaFetchRequestResponse', value: web };
    case 'askQuestionInteractionQuery':
      return { case: 'askQuestionInteractionResponse', value: { result: rejected(NOBODY) } };
    case 'switchModeRequestQuery':
      return { case: 'switchModeRequestResponse', value: rejected(NOBODY) };
    case 'createPlanRequestQuery': {
      const value = { error: 'Plans are not stored here. Write the plan in your answer.' };
      return { case: 'createPlanRequestResponse', value: { result: { result: { case: 'error', value } } } };
    }
    case 'setupVmEnvironmentArgs': // success is the only answer it has
      return { case: 'setupVmEnvironmentResult', value: { result: { case: 'success', value: {} } } };
    case 'prManagementRequestQuery':
      return { case: 'prManagementResult', value: rejected(NOBODY) };
    case 'mcpAuthRequestQuery':
      return { case: 'mcpAuthRequestResponse', value: rejected(NOBODY) };
    case 'generateImageRequestQuery':
      return { case: 'generateImageRequestResponse', value: rejected(NOBODY) };
    case 'replaceEnvArgs':
      return {
        case: 'replaceEnvResult',
        value: { result: { case: 'failure', value: { errorMessage: NOBODY } } },
      };
    case 'connectScmRequestQuery':
      return { case: 'connectScmRequestResponse', value: rejected(NOBODY) };
    case undefined:
      return undefined;
    default:
      return query satisfies never;
  }
}

function approved() {
  return { result: { case: 'approved' as const, value: {} } };
}

function rejected(reason: string) {
  return { result: { case: 'rejected' as const, value: { reason } } };
}

/** The answer takes the number of the question and the shape of a rejection that the approval family shares. */
function rejectUnknown(query: InteractionQuery, response: InteractionResponse): number | undefined {
  const field = query.$unknown?.[0]?.no;
  if (field === undefined) return undefined;
  const shape = create(WebSearchRequestResponseSchema, rejected(NOBODY));
  const data = new BinaryWriter().bytes(toBinary(WebSearchRequestResponseSchema, shape)).finish();
  response.$unknown = [{ no: field, wireType: WireType.LengthDelimited, data }];
  return field;
}

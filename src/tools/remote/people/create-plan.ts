// CREATE_PLAN (43): the client is asked to take the plan and may keep it as a file of its own; the official SDK takes every
// one. The run ends with a plan that was taken, since carrying it out is for the user to begin. A client that answers
// with an error does not show plans: the plan is kept and the model tells it in words.
import type { JsonObject } from '../../../core/index.ts';
import type { CreatePlanResult } from '../../../gen/agent/v1/tool_planning_pb.ts';
import { withIds } from '../../builtin/planning/todo-arguments.ts';
import type { TodoStatus } from '../../builtin/planning/todo-list.ts';
import { agentCodec } from '../../codecs/index.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { defineRemoteTool, type RemoteAnswer, type RemoteCall } from '../remote-tool.ts';
import { askClient } from './ask-client.ts';

interface PlanArguments {
  readonly name?: string;
  readonly overview?: string;
  readonly plan?: string;
  readonly todos: readonly {
    readonly id?: string;
    readonly content?: string;
    readonly status?: TodoStatus;
  }[];
}

export const createPlan = defineRemoteTool<PlanArguments>('create_plan', {
  async run(args, call) {
    const todos = withIds(args.todos.filter((todo) => todo.content !== undefined));
    const steps = todos.map(({ content }, index) => `${index + 1}. ${content}`).join('\n');
    const title = args.name === undefined ? '' : `# ${args.name}`;
    const text = args.plan?.trim() || [title, args.overview ?? '', steps].filter(Boolean).join('\n\n');
    if (text === '' || (todos.length === 0 && !args.plan?.trim()))
      return {
        outcome: fail('EINVAL', 'The plan is empty; give "plan" as Markdown, or "todos" with the steps.'),
      };
    const result = await put(
      { ...args, plan: text, todos: todos.map((todo) => ({ ...todo })) } as JsonObject,
      call,
    );
    const answer = answerOf(result, text);
    if (answer.outcome.ok)
      call.session.memoryOf(call).state.set({
        plan: text,
        todos: todos.map(({ id, content = '', status = 'pending' }) => ({ id, content, status })),
      });
    return { ...answer, ...(result === undefined ? {} : { result }) };
  },
});

async function put(plan: JsonObject, call: RemoteCall): Promise<CreatePlanResult | undefined> {
  const { tool } = agentCodec.encodeCall('create_plan', plan, { callId: call.callId }).message;
  if (tool.case !== 'createPlanToolCall' || !tool.value.args) return undefined;
  const answer = await askClient(call, {
    case: 'createPlanRequestQuery',
    value: { args: tool.value.args, toolCallId: call.callId },
  });
  return answer.case === 'createPlanRequestResponse' ? answer.value.result : undefined;
}

function answerOf(result: CreatePlanResult | undefined, text: string): RemoteAnswer {
  if (result?.result.case === 'success') {
    const where = result.planUri === '' ? '' : ` It is kept as ${result.planUri}.`;
    const data = { accepted: {}, ...(result.planUri === '' ? {} : { plan_uri: result.planUri }) };
    return {
      outcome: succeed(`The plan is with the user, who decides when it is carried out.${where}`, { data }),
      endsRun: true,
    };
  }
  const reason = result?.result.case === 'error' ? result.result.value.error : 'the client gave no answer';
  return {
    outcome: succeed(
      `The plan is kept, but the client did not show it (${reason}). Tell it to the user in words.\n\n${text}`,
      {
        data: { accepted: {} },
      },
    ),
  };
}

// CREATE_PLAN (43). Arguments of Cursor's published prompts (name, overview, plan, todos) and the older ones of
// `aiserver.v1.CreatePlanParams` (title, summary, steps, phases); the result is one of accepted, rejected, modified.
import { rm } from 'node:fs/promises';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/index.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { type Plan, writePlan } from './plan-file.ts';
import { type GivenTodo, todoItemSchema, withIds } from './todo-arguments.ts';
import { todoData } from './todo-list.ts';
import { type PlanReview, withUser } from './user-port.ts';

const args = toolArguments(
  {
    name: z.string().max(200).optional().describe('Name of the plan, three or four words.'),
    overview: z.string().max(4_000).optional().describe('What the plan achieves, in one or two sentences.'),
    plan: z
      .string()
      .max(200_000)
      .optional()
      .describe('The plan in Markdown; begins with a heading of level 1 and names the files to change.'),
    todos: z.array(todoItemSchema).max(200).default([]).describe('The steps, in order.'),
  },
  {
    aliases: { name: ['title'], overview: ['summary'], plan: ['content', 'plan_markdown'] },
    ignored: ['is_spec', 'is_project', 'old_str', 'new_str', 'steps', 'phases'],
    rewrite: (given) => {
      const todos = [
        ...listOf(given.todos),
        ...listOf(given.steps).map(todoOfStep),
        ...phaseTodos(given.phases),
      ];
      if (todos.length > 0) given.todos = todos;
    },
  },
);

export const createPlan = defineTool({
  number: 43,
  name: 'create_plan',
  description:
    'Put a plan before the user and wait for the answer. Say what will change, where and in which order, concretely enough to be carried out without further questions. Each call makes a new plan. Nothing is carried out before the user accepts; when the user changes the plan, follow the changed text.',
  args,
  risk: 'interact',
  modes: ['plan'],
  parallel: 'alone',
  status: 'local',
  // The file lies in the runtime's own folder, so only the user is touched.
  touches: () => [{ type: 'user', purpose: 'review a plan' }],
  preview: (given) => given.plan ?? given.overview ?? given.name ?? '',
  async run(given, context) {
    const plan = planOf(given);
    if (plan === undefined)
      return fail(
        'EINVAL',
        'The plan is empty; give "plan" as Markdown, or at least "todos" with the steps.',
      );
    return withUser(context, 'create_plan', async (user) => {
      // Written before the question, so that the user can read it in an editor; a plan nobody wants does not stay.
      const fileId = context.newId('');
      const file = await writePlan(context, plan, fileId);
      let review: PlanReview | undefined;
      try {
        review = await user.reviewPlan({ ...plan, path: file }, context.signal);
      } finally {
        if (review === undefined || review.type === 'rejected') await rm(file, { force: true });
      }
      const todos = plan.todos.map(todoData);
      const attachments = { file_path: file };
      switch (review.type) {
        case 'accepted':
          return succeed(`The user accepted the plan. It is kept in ${file}.\n\n${plan.markdown}`, {
            attachments,
            data: { accepted: { final_todos: todos }, plan_uri: file },
          });
        case 'modified':
          await writePlan(context, { ...plan, markdown: review.markdown }, fileId);
          return succeed(
            `The user changed the plan and accepted it so. It is kept in ${file}.\n\n${review.markdown}`,
            {
              attachments,
              data: { modified: { new_plan: review.markdown, final_todos: todos }, plan_uri: file },
            },
          );
        case 'rejected':
          return fail(
            'DENIED',
            `The user rejected the plan${reasonOf(review)} Ask what should be different.`,
            {
              data: { rejected: {} },
            },
          );
      }
    });
  },
});

type PlanArguments = z.output<typeof args>;

function planOf(given: PlanArguments): Plan | undefined {
  const known = given.todos.filter(
    (todo): todo is GivenTodo & { content: string } => todo.content !== undefined,
  );
  const todos = withIds(known).map((todo) => ({
    id: todo.id,
    content: todo.content,
    status: todo.status ?? ('pending' as const),
    dependencies: todo.dependencies ?? [],
  }));
  const text = given.plan?.trim() ?? '';
  if (text === '' && todos.length === 0) return undefined;
  const heading = /^#\s+(.+)$/m.exec(text)?.[1]?.trim();
  const name = given.name?.trim() || heading || 'Plan';
  const overview = given.overview?.trim() ?? '';
  const steps = todos.map((todo, index) => `${index + 1}. ${todo.content}`).join('\n');
  const markdown = text === '' ? [`# ${name}`, overview, steps].filter(Boolean).join('\n\n') : text;
  return { name, overview, markdown, todos };
}

function reasonOf(review: { readonly reason?: string }): string {
  return review.reason === undefined ? '.' : `: ${review.reason.replace(/[.\s]*$/, '.')}`;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}

/** A step of the older form says the same in up to three fields. */
function todoOfStep(step: JsonValue): JsonValue {
  if (!isJsonObject(step)) return step;
  const words = [step.title, step.description, step.instructions].filter(
    (text): text is string => typeof text === 'string' && text !== '',
  );
  const todo: JsonObject = { content: words.join(': ') };
  if (typeof step.id === 'string' && step.id !== '') todo.id = step.id;
  if (Array.isArray(step.prerequisites)) todo.dependencies = step.prerequisites;
  return todo;
}

function phaseTodos(phases: JsonValue | undefined): JsonValue[] {
  return listOf(phases).flatMap((phase) => (isJsonObject(phase) ? listOf(phase.todos) : []));
}

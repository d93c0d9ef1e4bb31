// ASK_QUESTION (51). Arguments of Cursor's published prompts; results as `aiserver.v1.AskQuestionResult` has them.
// Claude Code's spelling (`question`, `header`, options by label alone, `multiSelect`) is taken too.
import { z } from 'zod';
import { isJsonObject, type JsonObject, omitUndefined } from '../../../core/index.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { withIds } from './todo-arguments.ts';
import { type Answer, type Question, withUser } from './user-port.ts';

const optionSchema = z.preprocess(
  (given) => {
    if (typeof given === 'string') return { label: given };
    if (!isJsonObject(given)) return given;
    const id = typeof given.id === 'number' ? String(given.id) : given.id;
    return omitUndefined({ id: id ?? undefined, label: given.label ?? given.text ?? given.title ?? id });
  },
  z.object({
    id: z.string().min(1).optional().describe('Short name of the option, used in the answer.'),
    label: z.string().min(1).max(500).describe('What the user reads.'),
  }),
);

const questionSchema = z.preprocess(
  (given) => {
    if (!isJsonObject(given)) return given;
    return omitUndefined({
      id: given.id ?? given.header ?? undefined,
      prompt: given.prompt ?? given.question ?? given.text,
      options: given.options ?? undefined,
      allow_multiple: given.allow_multiple ?? given.allowMultiple ?? given.multiSelect ?? undefined,
    });
  },
  z.object({
    id: z.string().min(1).optional().describe('Short name of the question, used in the answer.'),
    prompt: z.string().min(1).max(4_000).describe('The question.'),
    options: z.array(optionSchema).max(20).default([]).describe('Two or more answers to choose from.'),
    allow_multiple: z.boolean().default(false).describe('Whether several options may be chosen.'),
  }),
);

const args = toolArguments(
  {
    title: z.string().max(200).optional().describe('What the questions are about, in a few words.'),
    questions: z.array(questionSchema).min(1).max(10).describe('The questions, asked together.'),
  },
  {
    ignored: ['run_async', 'async_original_tool_call_id'],
    // One question alone, outside a list.
    rewrite: (given) => {
      if (given.questions !== undefined) return;
      const { title, explanation: _explanation, ...question } = given;
      for (const key of Object.keys(given)) delete given[key];
      given.questions = [question];
      if (title !== undefined) given.title = title;
    },
  },
);

export const askQuestion = defineTool({
  number: 51,
  name: 'ask_question',
  description:
    'Ask the user what only the user can decide, with options to choose from; free text is always possible. Ask when the task can be read in ways that lead to different work, all questions in one call, and not for what you can find out yourself.',
  args,
  risk: 'interact',
  modes: MODES,
  parallel: 'alone',
  status: 'local',
  touches: () => [{ type: 'user', purpose: 'ask a question' }],
  preview: (given) => given.questions.map((question) => question.prompt).join('\n'),
  async run(given, context) {
    const questions = withIds(given.questions).map(
      (question): Question => ({
        id: question.id,
        prompt: question.prompt,
        options: withIds(question.options),
        allowMultiple: question.allow_multiple,
      }),
    );
    const twice = findDuplicate(questions.map((question) => question.id));
    if (twice !== undefined)
      return fail('EINVAL', `Two questions have the id "${twice}"; give each its own.`);
    return withUser(context, 'ask_question', async (user) => {
      const reply = await user.ask(given.title ?? '', questions, context.signal);
      if (reply.type === 'dismissed') {
        const why = reply.reason === undefined ? '' : ` (${reply.reason})`;
        return fail(
          'DENIED',
          `The user did not answer${why}. Go on with what is most likely meant and say what you assumed.`,
        );
      }
      return succeed(formatAnswers(questions, reply.answers), {
        data: { answers: reply.answers.map(answerData), is_async: false },
      });
    });
  },
});

function formatAnswers(questions: readonly Question[], answers: readonly Answer[]): string {
  return questions
    .map((question) => {
      const answer = answers.find((one) => one.questionId === question.id);
      const labels = (answer?.selectedOptionIds ?? []).map(
        (id) => question.options.find((option) => option.id === id)?.label ?? id,
      );
      const said = [...labels, ...(answer?.freeformText ? [`"${answer.freeformText}"`] : [])];
      return `${question.prompt}\n→ ${said.length === 0 ? '(no answer)' : said.join('; ')}`;
    })
    .join('\n\n');
}

function answerData(answer: Answer): JsonObject {
  return omitUndefined({
    question_id: answer.questionId,
    selected_option_ids: [...answer.selectedOptionIds],
    freeform_text: answer.freeformText,
  });
}

function findDuplicate(ids: readonly string[]): string | undefined {
  return ids.find((id, index) => ids.indexOf(id) !== index);
}

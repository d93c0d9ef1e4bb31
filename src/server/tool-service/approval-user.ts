import { type JsonObject, type JsonValue, nearestName, omitUndefined } from '../../core/index.ts';
import { type Approvals, askPerson, type PersonRequest } from '../../tools/approvals/index.ts';
import type {
  Answer,
  Answers,
  Confirmation,
  PlanReview,
  Question,
  UserPort,
} from '../../tools/builtin/planning/index.ts';
import { currentCallId } from '../../tools/runtime/current-call.ts';

type Ask = Pick<PersonRequest, 'asker' | 'preview' | 'reason' | 'rule' | 'form' | 'checkReply'>;

/** The user of a hosted runtime: whoever answers its approvals, at a terminal, in the console, over the API. */
export function createApprovalUser(approvals: Approvals): UserPort {
  const ask = (request: Ask, signal: AbortSignal) =>
    askPerson(approvals, { ...request, kind: 'question', callId: currentCallId() }, signal);
  return {
    async ask(title, questions, signal): Promise<Answers> {
      const answer = await ask(
        {
          asker: 'ask_question',
          preview: [title, ...questions.map(describeQuestion)].filter(Boolean).join('\n'),
          reason: 'The model asks you something.',
          rule: 'user:question',
          form: { type: 'questions', questions },
          checkReply: (content) => checkAnswers(questions, content),
        },
        signal,
      );
      if (answer.type === 'agreed')
        return { type: 'answered', answers: readAnswers(questions, answer.content ?? {}) };
      const reason = answer.type === 'refused' ? answer.reason : 'nobody answered in time';
      return omitUndefined({ type: 'dismissed' as const, reason });
    },
    async reviewPlan(plan, signal): Promise<PlanReview> {
      const answer = await ask(
        {
          asker: 'create_plan',
          preview: plan.markdown,
          reason: `A plan to look at: ${plan.name}. It is kept in ${plan.path}.`,
          rule: 'user:plan',
          form: { type: 'text', text: plan.markdown },
          checkReply: ({ text }) =>
            typeof text === 'string' && text.trim() !== ''
              ? undefined
              : 'give "text", the plan as it should be.',
        },
        signal,
      );
      if (answer.type === 'refused')
        return omitUndefined({ type: 'rejected' as const, reason: answer.reason });
      if (answer.type === 'unanswered') return { type: 'rejected', reason: 'nobody looked at it in time' };
      const text = answer.content?.text;
      return typeof text === 'string' ? { type: 'modified', markdown: text } : { type: 'accepted' };
    },
    async confirm(question, signal): Promise<Confirmation> {
      const answer = await ask(
        {
          asker: 'the model',
          preview: [question.title, question.detail].filter(Boolean).join('\n'),
          reason: question.title,
          rule: 'user:confirmation',
        },
        signal,
      );
      if (answer.type === 'agreed') return { isAgreed: true };
      const reason = answer.type === 'refused' ? answer.reason : 'nobody answered in time';
      return omitUndefined({ isAgreed: false, reason });
    },
    // Whoever watches the call has it from the call's own progress.
    notify: async () => undefined,
  };
}

function describeQuestion({ id, prompt, options, allowMultiple }: Question): string {
  const choices = options.map((option) => `    ${option.id}: ${option.label}`);
  const hint = options.length === 0 ? '' : allowMultiple ? ' (one or more)' : ' (one)';
  return [`${id}: ${prompt}${hint}`, ...choices].join('\n');
}

/** A reply names each question by its id; what is no option is the user's own words. */
function checkAnswers(questions: readonly Question[], content: JsonObject): string | undefined {
  const ids = questions.map(({ id }) => id);
  for (const [id, value] of Object.entries(content)) {
    const question = questions.find((one) => one.id === id);
    if (!question) {
      const nearest = nearestName(id, ids);
      return `there is no question "${id}"; ${nearest ? `did you mean "${nearest}"?` : `the questions are ${ids.join(', ')}.`}`;
    }
    const words = wordsOf(value);
    if (!words) return `"${id}" must be the id of an option, a list of them, or your own words.`;
    const chosen = words.filter((word) => findOption(question, word));
    if (chosen.length > 1 && !question.allowMultiple)
      return `"${id}" takes one option, not ${chosen.length}.`;
  }
  const isAnswered = Object.values(content).some((value) =>
    wordsOf(value)?.some((word) => word.trim() !== ''),
  );
  return isAnswered ? undefined : `answer at least one of ${ids.join(', ')}, or deny it.`;
}

function readAnswers(questions: readonly Question[], content: JsonObject): Answer[] {
  return questions.flatMap((question) => {
    const words = Object.hasOwn(content, question.id) ? (wordsOf(content[question.id]) ?? []) : [];
    if (words.length === 0) return [];
    const selected = words.flatMap((word) => findOption(question, word)?.id ?? []);
    const own = words.filter((word) => !findOption(question, word) && word.trim() !== '').join('; ');
    return [
      omitUndefined({
        questionId: question.id,
        selectedOptionIds: selected,
        freeformText: own === '' ? undefined : own,
      }),
    ];
  });
}

function findOption({ options }: Question, word: string) {
  const folded = word.trim().toLowerCase();
  return (
    options.find(({ id }) => id === word) ??
    options.find(({ id, label }) => [id, label].some((name) => name.toLowerCase() === folded))
  );
}

function wordsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  return undefined;
}

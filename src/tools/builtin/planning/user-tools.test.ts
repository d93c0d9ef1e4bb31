import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Mode, Tool } from '../../tool.ts';
import { type TempWorkspace, tempWorkspace } from '../search/fixtures/temp-workspace.ts';
import { askQuestion } from './ask-question.ts';
import { createPlan } from './create-plan.ts';
import { ScriptedUser } from './fixtures/scripted-user.ts';
import { modePort } from './mode-port.ts';
import { reportBugfixResults } from './report-bugfix-results.ts';
import { sendToUser } from './send-to-user.ts';
import { switchMode } from './switch-mode.ts';
import { userPort } from './user-port.ts';

let place: TempWorkspace;
let user: ScriptedUser;
beforeEach(() => {
  place = tempWorkspace({});
  user = new ScriptedUser();
  place.context.resources.set(userPort, user);
});
afterEach(() => place.dispose());

const QUESTION = {
  id: 'db',
  prompt: 'Which database?',
  options: [
    { id: 'pg', label: 'Postgres' },
    { id: 'lite', label: 'SQLite' },
  ],
};

describe('without a user', () => {
  test.each<[Tool, object]>([
    [askQuestion, { questions: [QUESTION] }],
    [createPlan, { plan: '# Do it' }],
    [sendToUser, { message: 'hello' }],
  ])('$name says so and what to do', async (tool, args) => {
    place.context.resources.set(userPort, undefined);
    const outcome = await place.call(tool, args);
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain('crosspoint chat');
  });
});

describe('ask_question', () => {
  test('gives the chosen labels and the free text', async () => {
    user.answers = {
      type: 'answered',
      answers: [{ questionId: 'db', selectedOptionIds: ['lite'], freeformText: 'in memory' }],
    };
    const outcome = await place.ask(askQuestion, { title: 'Storage', questions: [QUESTION] });
    expect(outcome.content).toBe('Which database?\n→ SQLite; "in memory"');
    expect(outcome.data).toEqual({
      answers: [{ question_id: 'db', selected_option_ids: ['lite'], freeform_text: 'in memory' }],
      is_async: false,
    });
  });

  test('takes one bare question, and options that are only words', async () => {
    user.answers = { type: 'answered', answers: [] };
    const outcome = await place.ask(askQuestion, {
      question: 'Which?',
      options: ['Red', 'Blue'],
      multiSelect: true,
    });
    expect(user.asked).toEqual([
      {
        id: '1',
        prompt: 'Which?',
        options: [
          { id: '1', label: 'Red' },
          { id: '2', label: 'Blue' },
        ],
        allowMultiple: true,
      },
    ]);
    expect(outcome.content).toContain('(no answer)');
  });

  test('tells the model to go on when the user does not answer', async () => {
    user.answers = { type: 'dismissed', reason: 'too many questions' };
    const outcome = await place.call(askQuestion, { questions: [QUESTION] });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'DENIED' } });
    expect(outcome.ok ? '' : outcome.error.message).toContain('too many questions');
  });

  test('ends at once when the call is cancelled, even if the user never answers', async () => {
    user.ask = () => new Promise(() => undefined);
    const pending = place.call(askQuestion, { questions: [QUESTION] });
    place.abort.abort();
    expect(await pending).toMatchObject({ ok: false, error: { code: 'ECANCELED' } });
  });

  test('refuses two questions of one id', async () => {
    const outcome = await place.call(askQuestion, { questions: [QUESTION, QUESTION] });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
  });
});

describe('create_plan', () => {
  const plans = () => {
    try {
      return readdirSync(path.join(place.context.stateFolder, 'plans'));
    } catch {
      return [];
    }
  };

  test('keeps an accepted plan as a file with name, overview and steps', async () => {
    const outcome = await place.ask(createPlan, {
      name: 'Add a Cache: fast/er',
      overview: 'Makes it fast.',
      plan: '# Add a cache\n\nChange `src/a.ts`.',
      todos: [{ id: 'one', content: 'write it' }, { content: 'test it' }],
    });
    const file = String(outcome.attachments?.file_path);
    expect(path.dirname(file)).toBe(path.join(place.context.stateFolder, 'plans'));
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/^---\nname: "Add a Cache: fast\/er"\noverview: Makes it fast\.\ntodos:\n/);
    expect(text).toContain('# Add a cache\n\nChange `src/a.ts`.');
    expect(outcome.data).toMatchObject({
      plan_uri: file,
      accepted: { final_todos: [{ id: 'one' }, { id: '1', content: 'test it', status: 'pending' }] },
    });
    expect(user.plans[0]?.path).toBe(file);
  });

  test('follows the text the user changed', async () => {
    user.review = { type: 'modified', markdown: '# Smaller plan' };
    const outcome = await place.ask(createPlan, { plan: '# Large plan' });
    expect(outcome.content).toContain('# Smaller plan');
    expect(readFileSync(String(outcome.attachments?.file_path), 'utf8')).toContain('# Smaller plan');
    expect(plans()).toHaveLength(1);
  });

  test('leaves nothing of a rejected plan and gives the reason', async () => {
    user.review = { type: 'rejected', reason: 'no new dependency' };
    const outcome = await place.call(createPlan, { plan: '# Large plan' });
    expect(outcome.ok ? '' : outcome.error.message).toContain('no new dependency.');
    expect(plans()).toEqual([]);
  });

  test('leaves nothing behind when the question fails', async () => {
    user.reviewPlan = () => Promise.reject(new Error('the console is gone'));
    await expect(place.call(createPlan, { plan: '# x' })).rejects.toThrow('the console is gone');
    expect(plans()).toEqual([]);
  });

  test('takes the steps and phases of the older form', async () => {
    const outcome = await place.ask(createPlan, {
      title: 'Old plan',
      summary: 'Works still.',
      steps: [{ id: 's1', title: 'Look', description: 'at the code', prerequisites: [] }],
      phases: [{ name: 'later', todos: [{ id: 't', content: 'Change' }] }],
    });
    expect(outcome.content).toContain('# Old plan\n\nWorks still.\n\n1. Look: at the code\n2. Change');
  });

  test('refuses an empty plan', async () => {
    const outcome = await place.call(createPlan, { name: 'nothing' });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
  });

  test('a name made of dots and slashes stays in the folder of plans', async () => {
    const outcome = await place.ask(createPlan, { name: '../../etc/passwd', plan: '# x' });
    expect(path.dirname(String(outcome.attachments?.file_path))).toBe(
      path.join(place.context.stateFolder, 'plans'),
    );
  });
});

describe('switch_mode', () => {
  const switched: Mode[] = [];
  beforeEach(() => {
    switched.length = 0;
    place.context.resources.set(modePort, { switchTo: (mode) => void switched.push(mode) });
  });

  test('switches when the user agrees', async () => {
    const outcome = await place.ask(switchMode, {
      to_mode_id: 'plan',
      from_mode_id: 'agent',
      explanation: 'large',
    });
    expect(switched).toEqual(['plan']);
    expect(user.confirmed).toEqual([{ title: 'Switch from mode agent to plan?', detail: 'large' }]);
    expect(outcome.data).toEqual({
      from_mode_id: 'agent',
      to_mode_id: 'plan',
      auto_approved: false,
      user_approved: true,
    });
  });

  test('stays when the user does not', async () => {
    user.confirmation = { isAgreed: false, reason: 'not yet' };
    const outcome = await place.call(switchMode, { target_mode_id: 'ask' });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'DENIED' } });
    expect(switched).toEqual([]);
  });

  test('asks nobody when the mode is that already', async () => {
    await place.ask(switchMode, { target_mode_id: 'Agent' });
    expect(user.confirmed).toEqual([]);
  });

  test('names the nearest mode for one that does not exist', async () => {
    const outcome = await place.call(switchMode, { target_mode_id: 'plann' });
    expect(outcome.ok ? '' : outcome.error.message).toContain('did you mean "plan"');
  });

  test('says so when the session cannot change its mode', async () => {
    place.context.resources.set(modePort, undefined);
    const outcome = await place.call(switchMode, { target_mode_id: 'plan' });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'UNAVAILABLE' } });
  });
});

test('send_to_user passes the message on', async () => {
  await place.ask(sendToUser, { text: 'half way' });
  expect(user.told).toEqual(['half way']);
});

describe('report_bugfix_results', () => {
  const results = [
    { bug_id: 'B1', bug_title: 'Crash', verdict: 'BUGFIX_VERDICT_FIXED', explanation: 'checked for null' },
    { bug_id: 'B2', verdict: 3 },
  ];

  test('keeps the report and tells the user', async () => {
    const outcome = await place.ask(reportBugfixResults, { summary: 'Two bugs.', results });
    expect(user.told).toEqual(['Two bugs.\nBugs: 1 fixed, 1 could not fix.']);
    expect(JSON.parse(readFileSync(String(outcome.attachments?.file_path), 'utf8'))).toMatchObject({
      summary: 'Two bugs.',
      results: [
        { bug_id: 'B1', verdict: 'fixed' },
        { bug_id: 'B2', verdict: 'could_not_fix' },
      ],
    });
  });

  test('works without a user', async () => {
    place.context.resources.set(userPort, undefined);
    expect((await place.ask(reportBugfixResults, { results })).ok).toBe(true);
  });

  test('refuses two verdicts about one bug', async () => {
    const outcome = await place.call(reportBugfixResults, { results: [results[0], results[0]] });
    expect(outcome).toMatchObject({ ok: false, error: { code: 'EINVAL' } });
  });
});

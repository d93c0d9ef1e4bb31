// REFLECT (61). It has no slots in `aiserver.v1`; the fields are those of `agent.v1.ReflectArgs`.
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';

const FIELDS = {
  unexpected_action_outcomes: 'What turned out otherwise than expected.',
  relevant_instructions: 'Which instructions bear on it.',
  scenario_analysis: 'What may be the cause, and what speaks for each.',
  critical_synthesis: 'What you conclude.',
  next_steps: 'What you will do.',
} as const;

const text = (description: string) => z.string().max(20_000).optional().describe(description);

const args = toolArguments(
  {
    unexpected_action_outcomes: text(FIELDS.unexpected_action_outcomes),
    relevant_instructions: text(FIELDS.relevant_instructions),
    scenario_analysis: text(FIELDS.scenario_analysis),
    critical_synthesis: text(FIELDS.critical_synthesis),
    next_steps: text(FIELDS.next_steps),
  },
  { aliases: { critical_synthesis: ['thought', 'thoughts', 'reflection', 'content'] } },
);

export const reflect = defineTool({
  number: 61,
  name: 'reflect',
  description:
    'Stop and think on paper when something went wrong or a decision is hard. It changes nothing and asks nobody; the thought stays in the record of this session.',
  args,
  risk: 'none',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: () => [],
  async run(given) {
    const said = Object.entries(given).flatMap(([field, value]) => (value?.trim() ? [[field, value]] : []));
    if (said.length === 0)
      return fail('EINVAL', `There is no thought in it; give one of ${Object.keys(FIELDS).join(', ')}.`);
    return succeed('Noted. Go on with what you concluded.', { data: { thought: Object.fromEntries(said) } });
  },
});

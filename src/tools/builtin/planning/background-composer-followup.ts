// BACKGROUND_COMPOSER_FOLLOWUP (24): `aiserver.v1.BackgroundComposerFollowupParams`.
import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail } from '../../tool-outcome.ts';

const args = toolArguments(
  {
    proposed_followup: z.string().min(1).describe('What the agent should do next.'),
    bc_id: z.string().optional().describe('The id of the agent in the cloud.'),
  },
  { aliases: { proposed_followup: ['followup', 'message', 'prompt'], bc_id: ['id', 'agent_id'] } },
);

export const backgroundComposerFollowup = defineTool({
  number: 24,
  name: 'background_composer_followup',
  description: "Send a further message to an agent that runs in Cursor's cloud. Not available here.",
  args,
  risk: 'none',
  modes: ['agent'],
  parallel: 'alone',
  status: 'remote-only',
  touches: () => [],
  run: async (given) =>
    fail(
      'ENOSYS',
      `Agents in Cursor's cloud${given.bc_id === undefined ? '' : `, such as ${given.bc_id},`} can only be reached by Cursor's own client. Start a local agent with task (run_in_background) and read its answer with await_task, or ask the user to send the message there.`,
      { data: { proposed_followup: given.proposed_followup, is_sent: false } },
    ),
});

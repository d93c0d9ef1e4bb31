// SEND_TO_USER (65). Known from one client build: `agent.v1.SendToUserArgs` has a message and nothing else.
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { succeed } from '../../tool-outcome.ts';
import { withUser } from './user-port.ts';

const args = toolArguments(
  { message: z.string().min(1).max(20_000).describe('What to tell the user, in Markdown.') },
  { aliases: { message: ['text', 'content', 'update'] } },
);

export const sendToUser = defineTool({
  number: 65,
  name: 'send_to_user',
  description:
    'Tell the user something while you work on: that a long step has begun, what was found so far. It does not wait for an answer; ask_question does.',
  args,
  risk: 'interact',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: () => [{ type: 'user', purpose: 'tell something' }],
  run: (given, context) =>
    withUser(context, 'send_to_user', async (user) => {
      // Whoever only watches the call reads it too.
      context.progress({ text: given.message });
      await user.notify(given.message, context.signal);
      return succeed('Told the user.', { data: { success: {} } });
    }),
});

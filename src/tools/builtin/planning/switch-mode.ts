// SWITCH_MODE (52). Arguments of `agent.v1` (`target_mode_id`) and of `aiserver.v1` (`from_mode_id`, `to_mode_id`).
import { z } from 'zod';
import { nearestName } from '../../../core/index.ts';
import { defineTool, MODES, type Mode } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { modePort } from './mode-port.ts';
import { withUser } from './user-port.ts';

const args = toolArguments(
  {
    target_mode_id: z
      .string()
      .min(1)
      .describe(`The mode to change to: ${MODES.join(', ')}.`),
    explanation: z.string().max(2_000).optional().describe('Why, for the user who must agree.'),
  },
  {
    aliases: { target_mode_id: ['to_mode_id', 'mode', 'target_mode', 'toModeId', 'targetModeId'] },
    ignored: ['from_mode_id', 'fromModeId'],
  },
);

/** `ask` is the same mode under its newer name. */
const OTHER_NAMES: Readonly<Record<string, Mode>> = { ask: 'chat', build: 'agent', edit: 'agent' };

export const switchMode = defineTool({
  number: 52,
  name: 'switch_mode',
  description:
    'Change to another mode when the present one no longer fits: plan before large or unclear work, agent to carry it out. The user must agree, and the new mode holds from the next call on.',
  args,
  risk: 'interact',
  modes: MODES,
  parallel: 'alone',
  status: 'local',
  touches: (given) => [{ type: 'user', purpose: `switch to mode ${given.target_mode_id}` }],
  async run(given, context) {
    const wanted = given.target_mode_id.trim().toLowerCase();
    const mode = OTHER_NAMES[wanted] ?? MODES.find((one) => one === wanted);
    if (mode === undefined) {
      const near = nearestName(wanted, MODES);
      return fail(
        'EINVAL',
        `There is no mode "${given.target_mode_id}"${near ? `; did you mean "${near}"?` : ''}. The modes are ${MODES.join(', ')}.`,
      );
    }
    const from = context.mode;
    if (mode === from)
      return succeed(`The mode is ${mode} already.`, { data: result(from, mode, true, false) });
    const port = context.resources.get(modePort);
    if (!port) {
      return fail(
        'UNAVAILABLE',
        `The mode of this session is fixed to ${from}. Ask the user to start it in mode ${mode}.`,
      );
    }
    return withUser(context, 'switch_mode', async (user) => {
      const title = `Switch from mode ${from} to ${mode}?`;
      const question = given.explanation === undefined ? { title } : { title, detail: given.explanation };
      const reply = await user.confirm(question, context.signal);
      if (!reply.isAgreed) {
        const why = reply.reason === undefined ? '' : `: ${reply.reason}`;
        return fail('DENIED', `The user wants to stay in mode ${from}${why}. Go on in this mode.`);
      }
      await port.switchTo(mode);
      return succeed(`The mode is now ${mode}.`, { data: result(from, mode, false, true) });
    });
  },
});

function result(from: Mode, to: Mode, isAutomatic: boolean, isByUser: boolean) {
  return { from_mode_id: from, to_mode_id: to, auto_approved: isAutomatic, user_approved: isByUser };
}

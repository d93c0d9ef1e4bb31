import type { Mode } from '../../../core/index.ts';
import { modePort } from '../../builtin/planning/mode-port.ts';
import { type UserPort, userPort } from '../../builtin/planning/user-port.ts';
import { Resources } from '../../resources.ts';
import { defineRemoteTool, type RemoteTool } from '../remote-tool.ts';
import { serverContext } from '../server-context.ts';
import { askClient, refusalIn } from './ask-client.ts';

/** What the clients call our modes; ours are the older names. */
const CLIENT_MODES: Readonly<Partial<Record<Mode, string>>> = { chat: 'ask' };

interface ModeArguments {
  readonly target_mode_id: string;
  readonly explanation?: string;
}

export const switchMode: RemoteTool = defineRemoteTool<ModeArguments>('switch_mode', {
  async run(args, call) {
    let mode: Mode | undefined;
    const resources = new Resources();
    const user: Pick<UserPort, 'confirm'> = {
      async confirm({ detail }) {
        const wanted = args.target_mode_id.trim().toLowerCase();
        const answer = await askClient(call, {
          case: 'switchModeRequestQuery',
          value: {
            args: {
              targetModeId: CLIENT_MODES[wanted as Mode] ?? wanted, // the tool has checked that it is a mode
              toolCallId: call.callId,
              ...(detail === undefined ? {} : { explanation: detail }),
            },
          },
        });
        const refusal = refusalIn(answer, 'switchModeRequestResponse', 'the change of mode');
        return refusal ? { isAgreed: false, reason: refusal.error.message } : { isAgreed: true };
      },
    };
    resources.set(userPort, user as UserPort); // the one method that this tool calls
    resources.set(modePort, {
      switchTo(next) {
        mode = next;
      },
    });
    const outcome = await switchMode.tool.run(args, serverContext(call, resources));
    return mode === undefined ? { outcome } : { outcome, mode };
  },
});

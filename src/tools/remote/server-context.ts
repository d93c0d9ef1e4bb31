import { randomId } from '../../core/index.ts';
import type { Resources } from '../resources.ts';
import type { ToolContext } from '../tool-context.ts';
import { Workspace } from '../workspace.ts';
import type { RemoteCall } from './remote-tool.ts';

/**
 * For the built-in tools that this side runs itself: they speak with the user or keep a list, and touch no file. What
 * they reach is set in `resources` by whoever calls them.
 */
export function serverContext(call: RemoteCall, resources: Resources): ToolContext {
  return {
    callId: call.callId,
    workspace: new Workspace('/'),
    mode: call.mode,
    signal: call.signal,
    resources,
    nowMs: () => call.session.nowMs(),
    newId: randomId,
    stateFolder: '',
    env: {},
    progress: ({ text }) => call.onProgress(text === undefined ? {} : { text }),
  };
}

import type { JsonObject } from '../../../core/index.ts';
import type { RemoteSession } from '../remote-session.ts';
import { defineRemoteTool } from '../remote-tool.ts';
import { runExec } from '../run-exec.ts';

function hasScreen({ port }: RemoteSession): boolean {
  return port.requestContext?.env?.computerUseSupported === true;
}

export const computerUse = defineRemoteTool<JsonObject>('computer_use', {
  isListed: hasScreen,
  run: (args, call) => runExec(call, 'computer-use', args),
});

export const recordScreen = defineRemoteTool<JsonObject>('record_screen', {
  isListed: hasScreen,
  run: (args, call) => runExec(call, 'record-screen', args),
});

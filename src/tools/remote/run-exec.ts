import type { JsonObject } from '../../core/index.ts';
import type { ExecArgs, ExecResult } from '../../native/remote-port.ts';
import { decodeExecResult, type ExecName, encodeExecArgs } from './exec/exec-codec.ts';
import { execTouches } from './exec/exec-touches.ts';
import type { RemoteAnswer, RemoteCall } from './remote-tool.ts';

/** One exec for one call: canonical arguments out, a canonical outcome back. */
export async function runExec(call: RemoteCall, exec: ExecName, args: JsonObject): Promise<RemoteAnswer> {
  const message = await sendExec(call, exec, args);
  return { outcome: decodeExecResult(exec, message, args), result: message.value };
}

/** The one way to the client: what is sent is judged by what it says, whatever the call was taken for. */
export async function sendExec(
  call: RemoteCall,
  exec: ExecName,
  args: JsonObject,
  onMessage?: (message: ExecResult) => void,
): Promise<ExecResult> {
  const { session, signal, tool, mode } = call;
  const sent: ExecArgs = encodeExecArgs(exec, args, call.callId);
  await session.judge({ tool, touches: execTouches(sent, session), mode });
  signal.throwIfAborted();
  return session.port.exec(sent, { signal, ...(onMessage && { onMessage }) });
}

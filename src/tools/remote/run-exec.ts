import type { JsonObject } from '../../core/index.ts';
import type { ExecResult } from '../../native/remote-port.ts';
import { decodeExecResult, type ExecName, encodeExecArgs } from './exec/exec-codec.ts';
import type { RemoteAnswer, RemoteCall } from './remote-tool.ts';

/** One exec for one call: canonical arguments out, a canonical outcome back. */
export async function runExec(call: RemoteCall, exec: ExecName, args: JsonObject): Promise<RemoteAnswer> {
  const message = await sendExec(call, exec, args);
  return { outcome: decodeExecResult(exec, message, args), result: message.value };
}

export function sendExec(call: RemoteCall, exec: ExecName, args: JsonObject): Promise<ExecResult> {
  return call.session.port.exec(encodeExecArgs(exec, args, call.callId), { signal: call.signal });
}

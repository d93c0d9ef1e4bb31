import type { ToolCall } from '../../gen/agent/v1/tool_call_pb.ts';
import type { RemotePort } from '../../native/remote-port.ts';
import { drawCall } from './draw-call.ts';
import { parsePartialJson } from './partial-json.ts';
import { resolveCall } from './resolve-call.ts';

/** A call as the protocol draws it, from whatever the model has written of it so far. */
export function describeRemoteCall(
  call: { readonly callId: string; readonly name: string; readonly argumentsText: string },
  port: RemotePort,
): ToolCall {
  const { callId, name, argumentsText } = call;
  const input = parsePartialJson(argumentsText);
  return drawCall({ callId, name, resolved: resolveCall(name, input, port), input });
}

// agent.v1: `ToolCall` ↔ canonical calls and outcomes. A call and its result are one message: the same member with
// `args`, then with `result`. Known from public reconstructions of the protobuf files.
import type { DescMessage } from '@bufbuild/protobuf';
import { findClientTool } from '../../catalogue/index.ts';
import { GatewayError, isJsonObject, type JsonObject } from '../../core/index.ts';
import { type ToolCall, ToolCallSchema } from '../../gen/agent/v1/tool_call_pb.ts';
import { BUILTIN_TOOLS } from '../registry.ts';
import type { Tool } from '../tool.ts';
import { fail, type ToolOutcome } from '../tool-outcome.ts';
import { AGENT_CALLS, SHARED_MEMBERS } from './agent-calls.ts';
import { encodeFailure, failureInResult } from './agent-failure.ts';
import { agentResult } from './agent-results.ts';
import { named, namesLost, present } from './call-form.ts';
import { findBuiltinTool } from './find-builtin-tool.ts';
import { readMessage, writeMessage } from './message-json.ts';
import { objectAt } from './search-forms.ts';
import type { ToolCodec } from './tool-codec.ts';

const NO_ARGUMENTS = named();

export const agentCodec: ToolCodec<ToolCall, ToolCall> = {
  encodeCall(name, args, { callId }) {
    const member = memberFor(findBuiltinTool(name));
    const form = AGENT_CALLS[name] ?? NO_ARGUMENTS;
    const { message } = writeMessage(ToolCallSchema, {
      tool_call_id: callId,
      [member]: { args: present(form.encode(args)) },
    });
    const carried = objectAt(readMessage(ToolCallSchema, message, 'words'), member);
    return { message, lost: namesLost(args, present(form.decode(objectAt(carried, 'args')))) };
  },

  decodeCall(message) {
    const { fields, tool } = open(message);
    const form = AGENT_CALLS[tool.name] ?? NO_ARGUMENTS;
    const args = present(form.decode(objectAt(fields, 'args')));
    return { ...idsOf(message, tool), args };
  },

  encodeResult(name, outcome, { callId }) {
    const member = memberFor(findBuiltinTool(name));
    const result = present(outcome.ok ? agentResult(member).encode(outcome) : failed(member, outcome));
    const { message, lost } = writeMessage(ToolCallSchema, { tool_call_id: callId, [member]: { result } });
    const prefix = new RegExp(`^${member}\\.result\\.(?:success\\.)?`);
    return { message, lost: lost.map((path) => path.replace(prefix, '')) };
  },

  decodeResult(message) {
    const { member, fields, tool } = open(message);
    return { ...idsOf(message, tool), outcome: outcomeOf(member, objectAt(fields, 'result')) };
  },
};

function outcomeOf(member: string, result: JsonObject): ToolOutcome {
  for (const [name, value] of Object.entries(result)) {
    const failure = isJsonObject(value) ? failureInResult(name, value) : undefined;
    if (failure) return failure;
  }
  if (Object.keys(result).length === 0)
    return fail('FAILED', `The far end answered ${member} without a result; try the call again.`);
  return agentResult(member).decode(result);
}

function failed(member: string, outcome: ToolOutcome & { ok: false }): JsonObject {
  const special = present(agentResult(member).encodeFailure?.(outcome) ?? {});
  return Object.keys(special).length > 0 ? special : (encodeFailure(resultMessage(member), outcome) ?? {});
}

function resultMessage(member: string): DescMessage {
  const call = ToolCallSchema.fields.find((field) => field.name === member)?.message;
  return call?.fields.find((field) => field.name === 'result')?.message ?? ToolCallSchema;
}

function memberFor(tool: Tool): string {
  const member = findClientTool(tool.number)?.agentToolCall?.name;
  if (member !== undefined) return member;
  throw new GatewayError(
    'unimplemented',
    `agent.v1 has no message for calls of ${tool.name}; offer it to the agent as an MCP tool instead.`,
  );
}

function open(message: ToolCall): { member: string; fields: JsonObject; tool: Tool } {
  const json = readMessage(ToolCallSchema, message, 'words');
  const member = Object.keys(json).find((name) => name.endsWith('_tool_call'));
  const tool = member === undefined ? undefined : toolOf(member);
  if (member !== undefined && tool) return { member, fields: objectAt(json, member), tool };
  throw new GatewayError(
    'unimplemented',
    `No built-in tool stands for ${member ?? 'a ToolCall without a known member'}; answer it with an error the agent can read.`,
  );
}

function toolOf(member: string): Tool | undefined {
  const shared = SHARED_MEMBERS[member];
  if (shared !== undefined) return findBuiltinTool(shared);
  return BUILTIN_TOOLS.find((tool) => findClientTool(tool.number)?.agentToolCall?.name === member);
}

function idsOf(message: ToolCall, tool: Tool) {
  return { callId: message.toolCallId ?? '', number: tool.number, name: tool.name };
}

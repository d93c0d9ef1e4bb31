import { toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import type { McpArgs } from '../../gen/agent/v1/mcp_pb.ts';

/** The arguments of a call: a map of protobuf values. Whole numbers print as such, though all travel as doubles. */
export function decodeArguments({ args }: Pick<McpArgs, 'args'>): JsonObject {
  const input: JsonObject = {};
  for (const [name, value] of Object.entries(args)) {
    // A value without a kind, or a number that JSON cannot write, is a null.
    try {
      input[name] = toJson(ValueSchema, value);
    } catch {
      input[name] = null;
    }
  }
  return input;
}

/** The same text for the same value, whatever the order of its keys. */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

/** Like `canonicalJson`, for texts that may not be JSON. */
export function canonicalText(text: string): string {
  try {
    return canonicalJson(JSON.parse(text) as JsonValue); // JSON.parse gives nothing else
  } catch {
    return text;
  }
}

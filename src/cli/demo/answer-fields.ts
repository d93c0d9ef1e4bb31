import { GatewayError, isJsonObject, type JsonObject, type JsonValue } from '../../core/index.ts';
import type { DemoUsage } from './demo-client.ts';

/** The fields of a value that may be no object at all: answers come from outside. */
export function fieldsOf(value: unknown): Partial<JsonObject> {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

/** Both counts or nothing: half a count is none. */
export function readUsage(
  input: JsonValue | undefined,
  output: JsonValue | undefined,
): DemoUsage | undefined {
  return typeof input === 'number' && typeof output === 'number' ? { input, output } : undefined;
}

/** An error that the answer itself tells of, in its own dialect. */
export function toldError(message: JsonValue | undefined): GatewayError {
  return new GatewayError('upstream-rejected', `The stream ended with an error: ${textOf(message)}`);
}

/** A stream that just stopped. */
export function cutStream(missing: string): GatewayError {
  return new GatewayError('upstream-malformed', `The stream ended without ${missing}.`);
}

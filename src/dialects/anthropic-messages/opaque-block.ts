// A block that only this dialect knows, on its way through the canon: whole, and with its place in the answer.
import { isJsonObject, type JsonObject, type JsonValue, type OpaqueEvent } from '../../core/index.ts';
import { ANTHROPIC_MESSAGES } from './schema.ts';

export interface OpaqueBlock {
  readonly index: number;
  readonly block: JsonObject;
}

export function wrapBlock({ index, block }: OpaqueBlock): OpaqueEvent {
  const value = { type: 'content_block', index, content_block: block };
  return { type: 'opaque', dialect: ANTHROPIC_MESSAGES, value };
}

/** Undefined for opaque values of other kinds: whole events, other dialects' frames. */
export function unwrapBlock(dialect: string, value: JsonValue): OpaqueBlock | undefined {
  if (dialect !== ANTHROPIC_MESSAGES || !isJsonObject(value) || value.type !== 'content_block')
    return undefined;
  const { index, content_block: block } = value;
  return typeof index === 'number' && isJsonObject(block) ? { index, block } : undefined;
}

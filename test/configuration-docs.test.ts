import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { configSchema } from '../src/config/schema.ts';
import { isJsonObject, type JsonValue } from '../src/core/index.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../docs/configuration.md'), 'utf8');

/** Every key of the schema, those inside of named entries included. */
function keysOf(schema: JsonValue | undefined): string[] {
  if (!isJsonObject(schema)) return [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const own = Object.entries(properties).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
  return [...own, ...keysOf(schema.additionalProperties)];
}

describe('docs/configuration.md', () => {
  it('names every key of the configuration', () => {
    const schema = z.toJSONSchema(configSchema, { io: 'input', unrepresentable: 'any' }) as JsonValue; // JSON by nature
    const keys = new Set(keysOf(schema));
    expect(keys.size).toBeGreaterThan(30);
    expect([...keys].filter((key) => !PAGE.includes(key))).toEqual([]);
  });
});

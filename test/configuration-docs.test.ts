import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../src/config/index.ts';
import { configSchema } from '../src/config/schema.ts';
import { isJsonObject, type JsonValue } from '../src/core/index.ts';
import { UPSTREAM_KINDS } from '../src/dialects/index.ts';
import { mcpSchema } from '../src/mcp/index.ts';
import { checkToolSections } from '../src/server/tool-service/read-tool-sections.ts';
import { policySchema } from '../src/tools/policy/index.ts';
import { toolSettingsSchema } from '../src/tools/runtime/tool-settings.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../docs/configuration.md'), 'utf8');

/** Every key of the schema, those inside of named entries and of lists included. */
function keysOf(schema: JsonValue | undefined): string[] {
  if (!isJsonObject(schema)) return [];
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const own = Object.entries(properties).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
  return [...own, ...keysOf(schema.additionalProperties), ...keysOf(schema.items)];
}

describe('docs/configuration.md', () => {
  it.each([
    ['the configuration', configSchema, 30],
    ['the section policy', policySchema, 20],
    ['the section tools', toolSettingsSchema, 20],
    ['the section mcp', mcpSchema, 15],
  ])('names every key of %s', (_name, schema, least) => {
    const plain = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonValue; // JSON by nature
    const keys = new Set(keysOf(plain));
    expect(keys.size).toBeGreaterThan(least);
    expect([...keys].filter((key) => !PAGE.includes(`\`${key}\``))).toEqual([]);
  });

  const examples = [...PAGE.matchAll(/^```yaml\n(.*?)^```$/gms)].map((match) => match[1] ?? '');

  it('has examples', () => {
    expect(examples.length).toBeGreaterThanOrEqual(3);
  });

  it.each(examples)('shows an example that a gateway takes: %s', async (text) => {
    const folder = mkdtempSync(join(tmpdir(), 'crosspoint-docs-'));
    writeFileSync(join(folder, 'crosspoint.yaml'), text);
    const kinds = UPSTREAM_KINDS.map(({ kind }) => kind);
    const { config } = await loadConfig({ env: {}, cwd: folder, home: folder, kinds });
    await checkToolSections(config);
    rmSync(folder, { recursive: true });
  });
});

import { toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentTools } from './agent-tools.ts';
import { WEATHER } from './fixtures/play-turn.ts';

const call = (name: string, toolName = '') => ({ name, toolName });

describe('the tools of the caller', () => {
  it('are MCP tools of one server, with their schema as a value and as text', () => {
    const [tool] = new AgentTools([WEATHER]).encode();
    expect(tool).toMatchObject({
      name: 'caller-get_weather',
      toolName: 'get_weather',
      providerIdentifier: 'caller',
    });
    const schema = tool?.inputSchema && toJson(ValueSchema, tool.inputSchema);
    expect(schema).toEqual(JSON.parse(tool?.inputSchemaJson ?? ''));
    expect(schema).toMatchObject({ type: 'object', required: ['city'] });
  });

  it('are found under every form in which servers write MCP names', () => {
    const tools = new AgentTools([WEATHER]);
    for (const name of [
      'get_weather',
      'caller-get_weather',
      'mcp_caller_get_weather',
      'caller___get_weather',
    ]) {
      expect(tools.find(call(name))?.definition.name, name).toBe('get_weather');
    }
    expect(tools.find(call('anything', 'get_weather'))).toBeDefined();
    expect(tools.find(call('other'))).toBeUndefined();
  });

  it('lower a custom tool to one string and tell its grammar', () => {
    const [tool] = new AgentTools([
      {
        kind: 'custom',
        name: 'apply_patch',
        description: 'Patches.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: x' },
      },
    ]).encode();
    expect(tool?.description).toContain('start: x');
    expect(JSON.parse(tool?.inputSchemaJson ?? '')).toMatchObject({ required: ['input'] });
  });

  it('have distinct names of at most 64 letters with the prefix that the model sees, and every name leads back', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 90 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(names, (given) => {
        const tools = new AgentTools(given.map((name) => ({ kind: 'function', name })));
        expect(new Set(tools.wireNames).size).toBe(given.length);
        for (const { wireName, definition } of tools.list) {
          expect(`mcp_caller_${wireName}`).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(tools.find(call('', wireName))?.definition.name).toBe(definition.name);
          expect(tools.modelName(definition)).toBe(`mcp_caller_${wireName}`);
        }
      }),
    );
  });

  it('keep tools of two namespaces apart', () => {
    const tools = new AgentTools([
      { kind: 'function', name: 'run', namespace: 'a' },
      { kind: 'function', name: 'run', namespace: 'b' },
    ]);
    expect(tools.wireNames).toEqual(['a__run', 'b__run']);
    expect(tools.find(call('', 'b__run'))?.definition).toMatchObject({ name: 'run', namespace: 'b' });
  });
});

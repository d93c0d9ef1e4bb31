import { create, fromJson, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../core/index.ts';
import { type McpToolDefinition, McpToolDefinitionSchema } from '../../../gen/agent/v1/mcp_pb.ts';
import type { AnswerInit } from '../fixtures/disk-client.ts';
import { callOf, createBench, textIn } from '../fixtures/remote-bench.ts';
import { McpCatalogue } from './mcp-catalogue.ts';

function define(
  server: string,
  tool: string,
  more: { annotations?: JsonObject; schema?: JsonObject } = {},
): McpToolDefinition {
  return create(McpToolDefinitionSchema, {
    name: `${server}-${tool}`,
    providerIdentifier: server,
    toolName: tool,
    description: `does ${tool}`,
    inputSchema: fromJson(
      ValueSchema,
      more.schema ?? { type: 'object', properties: { n: { type: 'number' } } },
    ),
    ...(more.annotations === undefined ? {} : { annotationsJson: JSON.stringify(more.annotations) }),
  });
}

const CUSTOM = 'custom-user-tools';
const signal = new AbortController().signal;

describe('names of the client’s tools', () => {
  it('are the author’s own for custom tools and carry the server for others', () => {
    const list = new McpCatalogue([
      define(CUSTOM, 'add'),
      define('git hub', 'search'),
      define(CUSTOM, 'read_file'),
      define(CUSTOM, 'Bash'),
    ]).list;
    expect(list.map((tool) => tool.modelName)).toEqual([
      'add',
      expect.stringMatching(/^mcp_git_hub_search_[\da-f]{8}$/),
      'mcp_custom-user-tools_read_file',
      'mcp_custom-user-tools_Bash',
    ]);
  });

  it('fit every model API, are unique, and lead back to their tool', () => {
    const word = fc.oneof(
      fc.string({ minLength: 1, maxLength: 90 }),
      fc.constantFrom('a', 'a_b', 'mcp', 'read_file'),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { maxLength: 12 }), (pairs) => {
        const catalogue = new McpCatalogue(pairs.map(([server, tool]) => define(server, tool)));
        const names = catalogue.list.map((tool) => tool.modelName);
        expect(new Set(names).size).toBe(names.length);
        for (const tool of catalogue.list) {
          expect(tool.modelName).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(catalogue.get(tool.modelName)).toBe(tool);
          expect(catalogue.findOn(tool.server, tool.tool)).toBe(tool);
        }
        expect(catalogue.list.length).toBe(new Set(pairs.map((pair) => JSON.stringify(pair))).size);
      }),
    );
  });

  it('are understood in other spellings while they mean one tool', () => {
    const catalogue = new McpCatalogue([define('one', 'get'), define('two', 'get'), define('two', 'put')]);
    expect(catalogue.find('mcp__two__get')?.server).toBe('two');
    expect(catalogue.find('two-put')?.tool).toBe('put');
    expect(catalogue.find('put')?.tool).toBe('put');
    expect(catalogue.find('get')).toBeUndefined();
  });
});

describe('calls of the client’s tools', () => {
  it('are routed by server and tool name with every value as it was written', async () => {
    const args = { n: 1, s: 'ü"\n', list: [1, null, { deep: [true, {}] }], none: null, empty: [] };
    const { run, client, tools } = createBench({
      mcpTools: [define(CUSTOM, 'add')],
      onExec: () => ({
        case: 'mcpResult',
        value: {
          result: {
            case: 'success',
            value: {
              content: [
                { content: { case: 'text', value: { text: 'three' } } },
                {
                  content: { case: 'image', value: { data: new Uint8Array([1, 2]), mimeType: 'image/png' } },
                },
              ],
            },
          },
        },
      }),
    });
    const offered = await tools.list('agent', signal);
    expect(offered.at(-1)).toEqual({
      kind: 'function',
      name: 'add',
      description: 'does add',
      parameters: { type: 'object', properties: { n: { type: 'number' } } },
    });
    const result = await run('add', args);
    expect(result.content).toEqual([
      { type: 'text', text: 'three' },
      { type: 'image', source: { type: 'base64', data: 'AQI=', mediaType: 'image/png' } },
    ]);
    const [exec] = client.execs;
    if (exec?.case !== 'mcpArgs') throw new Error('no MCP exec');
    expect(exec.value).toMatchObject({
      name: `${CUSTOM}-add`,
      toolName: 'add',
      providerIdentifier: CUSTOM,
      toolCallId: 'call-1',
    });
    const sent = Object.fromEntries(
      Object.entries(exec.value.args).map(([key, value]) => [key, toJson(ValueSchema, value)]),
    );
    expect(sent).toEqual(args);
    const { tool } = client.shown.at(-1)?.call ?? {};
    if (tool?.case !== 'mcpToolCall') throw new Error('not drawn as an MCP call');
    expect(tool.value.args?.toolName).toBe('add');
    expect(tool.value.result?.result.case).toBe('success');
  });

  it.each([
    [{ case: 'error', value: { error: 'it threw' } }, 'it threw'],
    [{ case: 'rejected', value: { reason: 'not this' } }, 'refused this call: not this.'],
    [{ case: 'permissionDenied', value: { error: 'locked' } }, 'Permission was denied: locked.'],
    [
      { case: 'toolNotFound', value: { name: 'add', availableTools: ['sub'] } },
      'has no tool "add". It has: sub.',
    ],
    [
      { case: 'serverNotFound', value: { name: 'x', availableServers: [] } },
      'has no server "x". It has: none.',
    ],
    [{ case: 'approved', value: {} }, 'did not run it'],
    [
      {
        case: 'success',
        value: { isError: true, content: [{ content: { case: 'text', value: { text: 'bad n' } } }] },
      },
      'bad n',
    ],
  ] as const)('tell the model of %o', async (result, words) => {
    const { run, client } = createBench({
      mcpTools: [define(CUSTOM, 'add')],
      // The table is read-only; the message wants lists of its own.
      onExec: () => ({ case: 'mcpResult', value: { result: structuredClone(result) as never } }),
    });
    const answer = await run('add', {});
    expect(answer.isError).toBe(true);
    expect(textIn(answer)).toContain(words);
    const { tool } = client.shown.at(-1)?.call ?? {};
    expect(tool?.case === 'mcpToolCall' && tool.value.result?.result.case).toBeTruthy();
  });

  it('are kept out of modes that only read unless the server vouches for them', async () => {
    const { run, tools, client } = createBench({
      mcpTools: [define('s', 'look', { annotations: { readOnlyHint: true } }), define('s', 'change')],
      onExec: () => ({ case: 'mcpResult', value: { result: { case: 'success', value: {} } } }),
    });
    const names = (await tools.list('chat', signal)).map((tool) => tool.name);
    expect(names).toContain('mcp_s_look');
    expect(names).not.toContain('mcp_s_change');
    expect((await run('mcp_s_look', {}, { mode: 'chat' })).isError).toBeUndefined();
    for (const [name, args] of [
      ['mcp_s_change', {}],
      ['change', {}],
      ['call_mcp_tool', { server: 's', toolName: 'change' }],
      ['mcp', { name: 'mcp_s_change' }],
    ] as const)
      expect(textIn(await run(name, args, { mode: 'chat' }))).toContain('only reads');
    expect(client.execs).toHaveLength(1);
    expect(tools.parallelOf(callOf('mcp_s_look', {}))).toBe('any');
    expect(tools.parallelOf(callOf('mcp_s_change', {}))).toBe('any');
    expect(tools.isReadOnly(callOf('mcp_s_look', {}))).toBe(true);
    expect(tools.isReadOnly(callOf('mcp_s_change', {}))).toBe(false);
  });

  it('also go by the older ways to call them', async () => {
    const { run, client } = createBench({
      mcpTools: [define('s', 'look')],
      onExec: () => ({ case: 'mcpResult', value: { result: { case: 'success', value: {} } } }),
    });
    await run('CallMcpTool', { server: 's', toolName: 'look', arguments: { a: 1 } });
    await run('mcp', { name: 'look', server: 's' });
    expect(client.execs.map((exec) => exec.case === 'mcpArgs' && exec.value.toolName)).toEqual([
      'look',
      'look',
    ]);
    expect(textIn(await run('call_mcp_tool', { server: 's', toolName: 'nope' }))).toContain(
      'It has: s:look.',
    );
    expect(textIn(await run('get_mcp_tools', {}))).toContain('mcp_s_look: does look');
  });
});

describe('resources and sign-in', () => {
  it('lists and reads resources', async () => {
    const { run } = createBench({
      mcpTools: [define('s', 'look')],
      onExec: (args) => {
        if (args.case === 'listMcpResourcesExecArgs')
          return {
            case: 'listMcpResourcesExecResult',
            value: {
              result: {
                case: 'success',
                value: { resources: [{ uri: 'm://a', name: 'A', server: 's', mimeType: 'text/plain' }] },
              },
            },
          };
        if (args.case !== 'readMcpResourceExecArgs') return undefined;
        const { uri } = args.value;
        if (uri === 'm://gone')
          return {
            case: 'readMcpResourceExecResult',
            value: { result: { case: 'notFound', value: { uri } } },
          };
        const content =
          uri === 'm://pic'
            ? ({ case: 'blob', value: new Uint8Array([9]) } as const)
            : ({ case: 'text', value: 'words' } as const);
        return {
          case: 'readMcpResourceExecResult',
          value: { result: { case: 'success', value: { uri, mimeType: 'image/png', content } } },
        };
      },
    });
    expect(textIn(await run('list_mcp_resources', {}))).toBe('s: m://a (text/plain) A');
    expect(textIn(await run('FetchMcpResource', { server: 's', uri: 'm://a' }))).toBe('words');
    expect((await run('read_mcp_resource', { server: 's', uri: 'm://pic' })).content[1]).toMatchObject({
      type: 'image',
    });
    expect(textIn(await run('read_mcp_resource', { server: 's', uri: 'm://gone' }))).toContain(
      'm://gone: There is nothing',
    );
    for (const mode of ['chat', 'plan', 'search'] as const) {
      expect(textIn(await run('list_mcp_resources', {}, { mode }))).toContain('m://a');
      expect(textIn(await run('read_mcp_resource', { server: 's', uri: 'm://a' }, { mode }))).toBe('words');
    }
    const saving = { server: 's', uri: 'm://a', downloadPath: 'x' };
    expect(textIn(await run('read_mcp_resource', saving, { mode: 'plan' }))).toContain('only reads');
  });

  it('asks the user before a sign-in', async () => {
    const { run } = createBench({
      context: { supportsMcpAuth: true },
      onQuery: (query): AnswerInit => {
        const isKnown = query.case === 'mcpAuthRequestQuery' && query.value.args?.serverIdentifier === 's';
        return isKnown
          ? { case: 'mcpAuthRequestResponse', value: { result: { case: 'approved', value: {} } } }
          : {
              case: 'mcpAuthRequestResponse',
              value: { result: { case: 'rejected', value: { reason: 'unknown server' } } },
            };
      },
    });
    expect((await run('mcp_auth', { server_identifier: 's' })).isError).toBeUndefined();
    expect(textIn(await run('mcp_auth', { server_identifier: 't' }))).toContain('unknown server');
  });
});

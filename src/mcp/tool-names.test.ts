import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findByName, findOnServer, modelNameOf, type NamedTool } from './tool-names.ts';

function named(server: string, name: string): NamedTool {
  return { server, name, modelName: modelNameOf(server, name) };
}

describe('the name of a tool for models', () => {
  it('says server and tool when both fit', () => {
    expect(modelNameOf('github', 'create_issue')).toBe('mcp__github__create_issue');
  });

  it('is cut and hashed when it does not fit, and still says where it belongs', () => {
    expect(modelNameOf('my server', 'do')).toMatch(/^mcp__my_server__do_[\da-f]{8}$/);
    const long = modelNameOf('github', `create_${'x'.repeat(80)}`);
    expect(long).toHaveLength(64);
    expect(long).toMatch(/^mcp__github__create_x+_[\da-f]{8}$/);
  });

  it('is one that every model API takes, and different for different tools', () => {
    const part = fc.oneof(
      fc.string({ minLength: 1, maxLength: 90 }),
      fc.stringMatching(/^[a-c_-]{1,6}$/),
      fc.stringMatching(/^[a-z_]{30,80}$/),
    );
    fc.assert(
      fc.property(fc.tuple(part, part), fc.tuple(part, part), (one, other) => {
        const name = modelNameOf(...one);
        expect(name).toMatch(/^[A-Za-z\d_-]{1,64}$/);
        if (one[0] !== other[0] || one[1] !== other[1]) expect(modelNameOf(...other)).not.toBe(name);
      }),
    );
  });

  it('finds its tool again among any others', () => {
    const pair = fc.tuple(fc.stringMatching(/^[ab_ .]{1,5}$/), fc.stringMatching(/^[ab_]{1,5}$/));
    fc.assert(
      fc.property(fc.uniqueArray(pair, { minLength: 1, maxLength: 12, selector: String }), (pairs) => {
        const tools = pairs.map(([server, name]) => named(server, name));
        for (const tool of tools) expect(findByName(tool.modelName, tools)).toEqual([tool]);
      }),
    );
  });
});

describe('a name that a model wrote', () => {
  const tools = [named('git', 'hub_search'), named('git_hub', 'search'), named('files', 'read')];

  it('that two readings fit is not guessed', () => {
    expect(findByName('mcp_git_hub_search', tools)).toHaveLength(2);
    expect(findByName('mcp__git_hub__search', tools)).toEqual([tools[1]]);
  });

  it('is found without care for case and punctuation when nothing fits better', () => {
    expect(findByName('MCP-Files-Read', tools)).toEqual([tools[2]]);
    expect(findByName('read', tools)).toEqual([tools[2]]);
    expect(findByName('write', tools)).toEqual([]);
  });

  it('that names a server is never answered by a tool of another server that bears that name', () => {
    const impostor = named('evil', 'mcp__bank__pay');
    expect(findByName('mcp__bank__pay', [impostor])).toEqual([]);
    expect(findOnServer('mcp__bank__pay', [impostor])).toEqual([impostor]);
  });
});

// The table of all built-in tools: what each must have, in one place. A tool that is added without its row fails here.
import { createServer } from 'node:http';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findClientTool, foldToolName } from '../catalogue/index.ts';
import { ToolCallSchema } from '../gen/agent/v1/tool_call_pb.ts';
import {
  ClientSideToolV2CallSchema,
  ClientSideToolV2ResultSchema,
} from '../gen/aiserver/v1/client_side_tool_pb.ts';
import type { TempWorkspace } from './builtin/search/fixtures/temp-workspace.ts';
import { type LoopbackServer, startLoopbackServer } from './builtin/web/fixtures/loopback-server.ts';
import { CALL_SAMPLES } from './codecs/fixtures/samples.ts';
import { agentCodec, aiserverCodec } from './codecs/index.ts';
import { equippedWorkspace } from './fixtures/equipped-workspace.ts';
import { TOOL_CASES, type ToolCase } from './fixtures/tool-cases.ts';
import { BUILTIN_TOOLS } from './registry.ts';
import { MODES, type Tool } from './tool.ts';
import { fail, type ToolOutcome } from './tool-outcome.ts';

const PULL = {
  number: 7,
  title: 'Add a cache',
  state: 'open',
  created_at: '2026-01-02T03:04:05Z',
  html_url: 'https://code.example/team/app/pull/7',
};

let site: LoopbackServer;
let space: TempWorkspace;

beforeAll(async () => {
  site = await startLoopbackServer(createServer(), (request, response) => {
    const path = (request.url ?? '').split('?')[0];
    if (path === '/page') response.setHeader('content-type', 'text/html').end('<h1>Title</h1><p>Text.');
    else if (path === '/api/repos/team/app/pulls/7') response.end(JSON.stringify(PULL));
    else if (path === '/api/repos/team/app/issues/7/comments') response.end('[]');
    else response.writeHead(404).end('{}');
  });
});
afterAll(() => site.close());
beforeEach(() => {
  space = equippedWorkspace(site);
});
afterEach(() => space.dispose());

/** As the runtime does: arguments that the schema refuses are a failure, too. */
async function run(tool: Tool, args: unknown): Promise<ToolOutcome> {
  const given: unknown = JSON.parse(JSON.stringify(args).replaceAll('SITE', site.url));
  const parsed = tool.args.safeParse(given);
  if (!parsed.success) return fail('EINVAL', z.prettifyError(parsed.error));
  await tool.touches(parsed.data, space.context);
  return tool.run(parsed.data, space.context);
}

async function follow(call: NonNullable<ToolCase['success']>, tool: Tool): Promise<ToolOutcome> {
  for (const [name, args] of call.after ?? []) {
    const before = BUILTIN_TOOLS.find((one) => one.name === name);
    if (!before) throw new Error(`No tool ${name}.`);
    expect(await run(before, args), name).toMatchObject({ ok: true });
  }
  return run(tool, call.args);
}

describe('the table', () => {
  it('has a row for every tool and no others', () => {
    expect(Object.keys(TOOL_CASES).sort()).toEqual(BUILTIN_TOOLS.map(({ name }) => name).sort());
    expect(Object.keys(CALL_SAMPLES).sort()).toEqual(BUILTIN_TOOLS.map(({ name }) => name).sort());
  });

  it('has a success of every tool that can run here', () => {
    const without = BUILTIN_TOOLS.filter(({ name }) => TOOL_CASES[name]?.success === undefined);
    expect(without.filter(({ status }) => status !== 'remote-only').map(({ name }) => name)).toEqual([]);
  });
});

describe.each(BUILTIN_TOOLS)('$name', (tool) => {
  const row = findClientTool(tool.number);
  const cases = TOOL_CASES[tool.name];
  const sample = CALL_SAMPLES[tool.name];

  it('has a schema, names, modes and a risk', () => {
    expect(z.toJSONSchema(tool.args, { io: 'input' })).toMatchObject({ type: 'object' });
    const names = [...(row?.names ?? []), row?.caseName ?? ''].map(foldToolName);
    expect(names.filter(Boolean).length).toBeGreaterThan(0);
    expect(tool.modes.length).toBeGreaterThan(0);
    expect(tool.modes.every((mode) => MODES.includes(mode))).toBe(true);
    expect(['none', 'read', 'write', 'execute', 'network', 'interact']).toContain(tool.risk);
  });

  it('goes over both wires and comes back', () => {
    const args = sample?.args ?? {};
    const call = aiserverCodec.encodeCall(tool.name, args, { callId: 'c' }).message;
    const bytes = toBinary(ClientSideToolV2CallSchema, call);
    const back = aiserverCodec.decodeCall(fromBinary(ClientSideToolV2CallSchema, bytes));
    expect([back.name, tool.args.parse(back.args)]).toEqual([tool.name, tool.args.parse(args)]);
    if (row?.agentToolCall === undefined) return;
    const agent = agentCodec.encodeCall(tool.name, args, { callId: 'c' }).message;
    const decoded = agentCodec.decodeCall(fromBinary(ToolCallSchema, toBinary(ToolCallSchema, agent)));
    expect(decoded.name).toBe(sample?.agentDecodesAs ?? tool.name);
  });

  it('succeeds', async () => {
    if (cases?.success === undefined) {
      expect(tool.status).toBe('remote-only');
      return;
    }
    const outcome = await follow(cases.success, tool);
    expect(outcome).toMatchObject({ ok: true, content: expect.stringMatching(cases.success.says) });
    const { message } = aiserverCodec.encodeResult(tool.name, outcome, { callId: 'c' });
    const bytes = toBinary(ClientSideToolV2ResultSchema, message);
    const back = aiserverCodec.decodeResult(fromBinary(ClientSideToolV2ResultSchema, bytes));
    expect(back.outcome.ok).toBe(true);
  });

  it('fails in words that name what was wrong', async () => {
    if (!cases) throw new Error(`${tool.name} has no row in the table.`);
    const outcome = await follow(cases.failure, tool);
    expect(outcome).toMatchObject({
      ok: false,
      error: { code: cases.failure.code, message: expect.stringMatching(cases.failure.says) },
    });
  });
});

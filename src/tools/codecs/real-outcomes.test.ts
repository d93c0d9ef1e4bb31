import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/index.ts';
import { ToolCallSchema } from '../../gen/agent/v1/tool_call_pb.ts';
import { ClientSideToolV2ResultSchema } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import { tempWorkspace } from '../builtin/search/fixtures/temp-workspace.ts';
import { findBuiltinTool } from './find-builtin-tool.ts';
import { agentCodec, aiserverCodec } from './index.ts';

const workspace = tempWorkspace({ 'src/a.ts': 'export const a = 1;\n', 'b.txt': 'one\ntwo\n' });
afterAll(() => workspace.dispose());

/** What tools put in their data beside the fields of the wire, for programs on this side. */
const CALLS: readonly (readonly [name: string, args: JsonObject, extra: readonly string[]])[] = [
  [
    'read_file',
    { path: 'b.txt' },
    ['path', 'file_size', 'start_line', 'end_line', 'truncated', 'encoding', 'line_ending'],
  ],
  ['list_dir', {}, []],
  ['list_dir_v1', {}, []],
  ['glob_file_search', { glob_pattern: '**/*.ts' }, []],
  ['grep', { pattern: 'const', output_mode: 'content' }, []],
  ['grep', { pattern: 'const', output_mode: 'count' }, []],
  ['grep', { pattern: 'const', output_mode: 'files_with_matches' }, []],
  ['ripgrep_search', { query: 'const' }, []],
  ['file_search', { query: 'a.ts' }, []],
  ['write', { path: 'new.txt', contents: 'x\n' }, []],
  ['search_replace', { path: 'new.txt', old_string: 'x', new_string: 'y' }, []],
  ['todo_write', { todos: [{ id: '1', content: 'c' }] }, []],
  ['todo_read', {}, ['total_count']],
  [
    'run_terminal_command',
    { command: 'echo hi' },
    ['command', 'working_directory', 'stdout', 'stderr', 'execution_time', 'pid', 'timed_out', 'aborted'],
  ],
  ['delete_file', { path: 'new.txt' }, ['path', 'file_size', 'prev_content']],
];

describe('outcomes of real calls', () => {
  it.each(CALLS)('of %s %j fit their messages', async (name, args, extra) => {
    const outcome = await workspace.ask(findBuiltinTool(name), args);
    const { message, lost } = aiserverCodec.encodeResult(name, outcome, { callId: 'c' });
    expect([...lost].sort()).toEqual([...extra].sort());
    const bytes = toBinary(ClientSideToolV2ResultSchema, message);
    const decoded = aiserverCodec.decodeResult(fromBinary(ClientSideToolV2ResultSchema, bytes));
    expect(decoded.outcome.ok).toBe(true);
    if (name === 'file_search') return; // agent.v1 has no message for it
    const agent = agentCodec.encodeResult(name, outcome, { callId: 'c' });
    expect(agent.lost).toEqual([]);
    const back = fromBinary(ToolCallSchema, toBinary(ToolCallSchema, agent.message));
    expect(agentCodec.decodeResult(back).outcome.ok).toBe(true);
  });
});

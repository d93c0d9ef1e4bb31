import { describe, expect, it } from 'vitest';
import { CLIENT_TOOLS, MCP_TOOL_NUMBER } from '../catalogue/index.ts';
import {
  decodeBuiltinCall,
  decodeToolResult,
  encodeBuiltinCall,
  encodeToolResult,
  toolNumberOf,
} from './envelope.ts';
import { fail, succeed } from './tool-outcome.ts';

describe('builtin_tool_call', () => {
  it('is decoded to a call', () => {
    const value = { path: 'src/components/Button.tsx', start_line: 1, end_line: 50 };
    const envelope = {
      id: 'call_001',
      type: 'builtin_tool_call',
      builtin_tool_call: { case: 'read_file_v2', value },
    };
    expect(decodeBuiltinCall(envelope)).toEqual({ id: 'call_001', name: 'read_file_v2', args: value });
  });

  it('goes out and comes back for every tool of the catalogue', () => {
    for (const tool of CLIENT_TOOLS.filter(({ number }) => number !== MCP_TOOL_NUMBER)) {
      const call = { id: 'c', name: tool.caseName, args: { x: 1 } };
      const decoded = decodeBuiltinCall(encodeBuiltinCall(call));
      expect(toolNumberOf(decoded), tool.caseName).toBe(toolNumberOf(call));
    }
  });

  it('writes model-facing names as cases', () => {
    expect(encodeBuiltinCall({ id: 'c', name: 'Shell', args: {} }).builtin_tool_call.case).toBe(
      'run_terminal_command_v2',
    );
  });

  it.each([
    [undefined, /must be an object/],
    [{ builtin_tool_call: { case: 'x' } }, /id must be/],
    [{ id: 'a', type: 'function', builtin_tool_call: { case: 'x' } }, /type must be "builtin_tool_call"/],
    [{ id: 'a', builtin_tool_call: {} }, /must have a case/],
    [{ id: 'a', builtin_tool_call: { case: 'x', value: 'text' } }, /must be an object of arguments/],
  ])('a malformed one is refused with what is wrong: %j', (envelope, message) => {
    expect(() => decodeBuiltinCall(envelope)).toThrow(message);
  });
});

describe('tool_result', () => {
  it('carries content and attachments', () => {
    const outcome = succeed('Successfully edited 1 location', {
      attachments: { edits_applied: 1, file_path: 'src/Button.tsx' },
    });
    expect(encodeToolResult('call_002', 38, outcome)).toEqual({
      tool_result: {
        case: 'builtin_tool_result',
        value: {
          tool_call_id: 'call_002',
          content: 'Successfully edited 1 location',
          attachments: { edits_applied: 1, file_path: 'src/Button.tsx' },
        },
      },
    });
  });

  it('carries an error in place of content', () => {
    expect(encodeToolResult('call_1', 40, fail('ENOENT', 'File not found'))).toEqual({
      tool_result: {
        case: 'builtin_tool_result',
        value: { tool_call_id: 'call_1', error: { message: 'File not found', code: 'ENOENT' } },
      },
    });
  });

  it('has a case of its own for MCP, with pictures in the attachments', () => {
    const outcome = succeed('Screenshot captured', {
      parts: [{ type: 'image', source: { type: 'base64', data: 'iVBOR', mediaType: 'image/png' } }],
    });
    for (const number of [19, 49]) {
      expect(encodeToolResult('call_005', number, outcome).tool_result).toMatchObject({
        case: 'call_mcp_tool_result',
        value: { attachments: { image_base64: 'iVBOR' } },
      });
    }
  });

  it('comes back as the outcome it was', () => {
    for (const outcome of [succeed('text', { attachments: { exit_code: 0 } }), fail('DENIED', 'No.')]) {
      expect(decodeToolResult(encodeToolResult('c', 15, outcome))).toEqual({ callId: 'c', outcome });
    }
  });

  it('without an id is refused', () => {
    expect(() => decodeToolResult({ tool_result: { case: 'builtin_tool_result', value: {} } })).toThrow(
      /tool_call_id/,
    );
  });
});

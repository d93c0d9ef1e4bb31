// Execs for the tools and resources of MCP servers. Calls are routed by `provider_identifier` and `tool_name`, as the
// official SDK does it; all numbers are doubles on the wire.
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import { agentResult } from '../../codecs/agent-results.ts';
import { named, present } from '../../codecs/call-form.ts';
import { listOf } from '../../codecs/result-form.ts';
import { objectAt } from '../../codecs/search-forms.ts';
import { succeed, type ToolOutcome } from '../../tool-outcome.ts';
import type { ExecForm } from './exec-form.ts';

const CALLED = agentResult('mcp_tool_call');

/** `wire_name` is what the client declared the tool as; it stands in `name`. */
export const MCP: ExecForm = {
  args: 'mcp_args',
  result: 'mcp_result',
  tool: 'mcp',
  encodeArgs: ({ name, arguments: given, server, wire_name }) => ({
    name: wire_name ?? name,
    tool_name: name,
    args: given,
    provider_identifier: server,
    server_identifier: server,
  }),
  decodeArgs: (fields) => ({
    name: fields.tool_name ?? fields.name,
    arguments: fields.args ?? {},
    server: fields.provider_identifier ?? fields.server_identifier,
    wire_name: fields.name === fields.tool_name ? undefined : fields.name,
  }),
  encodeResult: (outcome) => CALLED.encode(outcome),
  decodeResult(result): ToolOutcome {
    const outcome = CALLED.decode(result);
    if (!outcome.ok || outcome.content !== '') return outcome;
    const content =
      outcome.data !== undefined
        ? JSON.stringify(outcome.data)
        : outcome.parts === undefined
          ? '(The tool answered without content.)'
          : 'The answer is attached.';
    return { ...outcome, content };
  },
};

export const LIST_RESOURCES: ExecForm = {
  args: 'list_mcp_resources_exec_args',
  result: 'list_mcp_resources_exec_result',
  tool: 'list_mcp_resources',
  encodeArgs: named('server').encode,
  decodeArgs: named('server').decode,
  encodeResult: ({ data }) => ({ success: present({ resources: data?.resources }) }),
  decodeResult(result) {
    const resources = listOf(objectAt(result, 'success').resources);
    const content =
      resources.length === 0 ? 'No MCP server offers a resource.' : resources.map(resourceLine).join('\n');
    return succeed(content, { attachments: { match_count: resources.length }, data: { resources } });
  },
};

function resourceLine({ server, uri, mime_type, name, description }: JsonObject): string {
  const kind = mime_type === undefined ? '' : ` (${mime_type})`;
  const words = [name, description].filter((one) => one !== undefined && one !== '').join(' - ');
  return `${server ?? ''}: ${uri ?? ''}${kind} ${words}`.trimEnd();
}

export const READ_RESOURCE: ExecForm = {
  args: 'read_mcp_resource_exec_args',
  result: 'read_mcp_resource_exec_result',
  tool: 'read_mcp_resource',
  encodeArgs: named('server', 'uri', { downloadPath: 'download_path' }).encode,
  decodeArgs: named('server', 'uri', { downloadPath: 'download_path' }).decode,
  encodeResult: ({ data }) => ({ success: data ?? {} }),
  decodeResult(result, args) {
    const success = objectAt(result, 'success');
    const { text, blob, mime_type, download_path } = success;
    const uri = String(success.uri ?? args.uri ?? '');
    const data = present(success);
    if (typeof text === 'string') return succeed(text, { data });
    if (typeof download_path === 'string') return succeed(`Saved ${uri} to ${download_path}.`, { data });
    if (typeof blob !== 'string') return succeed(`(${uri} is empty.)`, { data });
    const mediaType = String(mime_type ?? 'application/octet-stream');
    const source = { type: 'base64', data: blob, mediaType } as const;
    const filename = uri.split('/').at(-1) || undefined;
    return succeed(`[${uri}: ${mediaType}, attached]`, {
      parts: [
        mediaType.startsWith('image/')
          ? { type: 'image', source }
          : omitUndefined({ type: 'file' as const, source, filename }),
      ],
      data,
    });
  },
};

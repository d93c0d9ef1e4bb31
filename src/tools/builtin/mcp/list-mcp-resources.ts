import { z } from 'zod';
import { type JsonObject, omitUndefined } from '../../../core/index.ts';
import { type McpResource, mcpPort } from '../../mcp-port.ts';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';

const args = toolArguments(
  { server: z.string().min(1).optional().describe('One MCP server by name; left out, all of them.') },
  { aliases: { server: ['server_name', 'serverName', 'server_identifier'] } },
);

export const listMcpResources = defineTool({
  number: 44,
  name: 'list_mcp_resources',
  description:
    'List the resources (documents, records, templates) that MCP servers offer, with their URIs. Read one with read_mcp_resource; fill in the {names} of a template first.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: () => [],
  async run({ server }, context) {
    const { resources, problems } = await context.resources.get(mcpPort).resources(context.signal, server);
    if (context.signal.aborted) return fail('ECANCELED', 'The listing was cancelled.');
    const [problem] = problems;
    if (problem && resources.length === 0) return fail('UNAVAILABLE', problem.message);
    const lines = resources.map(describe);
    if (lines.length === 0) lines.push('No MCP server offers a resource.');
    lines.push(...problems.map(({ message }) => `[not listed: ${message}]`));
    return succeed(lines.join('\n'), {
      attachments: { match_count: resources.length },
      data: { resources: resources.map(encode) },
    });
  },
});

function describe({ server, uri, name, mimeType, description, isTemplate }: McpResource): string {
  const facts = [isTemplate ? 'template' : undefined, mimeType].filter((fact) => fact !== undefined);
  const kind = facts.length === 0 ? '' : ` (${facts.join(', ')})`;
  return `${server}: ${uri}${kind} ${name}${description === undefined ? '' : ` - ${description}`}`;
}

function encode({ server, uri, name, mimeType, description, annotations }: McpResource): JsonObject {
  // The wire has texts only.
  const texts =
    annotations &&
    Object.fromEntries(
      Object.entries(annotations).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    );
  return omitUndefined({ uri, name, description, mime_type: mimeType, server, annotations: texts });
}

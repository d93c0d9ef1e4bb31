import { z } from 'zod';
import { mcpPort } from '../../mcp-port.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';

const args = toolArguments(
  { server_identifier: z.string().min(1).describe('The MCP server to sign in to, by its name.') },
  { aliases: { server_identifier: ['server', 'server_name', 'serverName', 'serverIdentifier'] } },
);

export const mcpAuth = defineTool({
  number: 60,
  name: 'mcp_auth',
  description:
    'Ask the user to sign in to an MCP server that refused a call for lack of it. Waits until the user is done in the browser.',
  args,
  risk: 'interact',
  modes: ['agent', 'debug'],
  parallel: 'alone',
  status: 'local',
  touches({ server_identifier }, { resources }) {
    const server = resources.get(mcpPort).findServer(server_identifier)?.name ?? server_identifier;
    return [
      // Signing in hands this server a right, so the rules about servers decide on it.
      { type: 'mcp', server, tool: 'auth' },
      { type: 'user', purpose: `sign in to the MCP server ${server}` },
    ];
  },
  async run({ server_identifier }, context) {
    const outcome = await context.resources.get(mcpPort).signIn(server_identifier, context.signal);
    const message = outcome.ok ? outcome.content : outcome.error.message;
    return { ...outcome, data: { success: outcome.ok, message } };
  },
  preview: ({ server_identifier }) => `Sign in to the MCP server ${server_identifier} in a browser`,
});

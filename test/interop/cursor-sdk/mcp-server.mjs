// A small MCP server on stdio, for the SDK to start: one tool that writes a file, so that a call can be seen on disk.
import { writeFileSync } from 'node:fs';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [file] = process.argv.slice(2);
const server = new McpServer({ name: 'ledger', version: '1.0.0' });
server.registerTool(
  'book',
  { description: 'Books an entry.', inputSchema: z.object({ entry: z.string(), amount: z.number() }) },
  ({ entry, amount }) => {
    writeFileSync(file, `${entry}=${amount}\n`, { flag: 'a' });
    return { content: [{ type: 'text', text: `booked ${entry}` }] };
  },
);
await server.connect(new StdioServerTransport());

// What the tool routes of the admin API take and give: JSON over HTTP under /api.
import { z } from 'zod';
import type { JsonObject } from '../../core/index.ts';
import type { ApprovalAnswer } from '../../tools/approvals/index.ts';
import type { McpServerInfo, McpTool } from '../../tools/mcp-port.ts';

export const answerSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('once') }),
  z.strictObject({ type: z.literal('always') }),
  z.strictObject({ type: z.literal('reply'), content: z.record(z.string(), z.unknown()) }),
  z.strictObject({ type: z.literal('deny'), feedback: z.string().max(10_000).optional() }),
]);

export function toAnswer(parsed: z.output<typeof answerSchema>): ApprovalAnswer {
  switch (parsed.type) {
    case 'reply':
      return { type: 'reply', content: parsed.content as JsonObject }; // came as JSON
    case 'deny':
      return parsed.feedback === undefined ? { type: 'deny' } : { type: 'deny', feedback: parsed.feedback };
    default:
      return parsed;
  }
}

const declarationSchema = z.object({
  supportedTools: z.array(z.number().int()),
  mcpTools: z.array(
    z.object({
      server_name: z.string(),
      tools: z.array(
        z.object({
          name: z.string(),
          description: z.string().optional(),
          schema: z.record(z.string(), z.unknown()).optional(),
        }),
      ),
    }),
  ),
});

const mcpServerSchema = z.object({
  name: z.string(),
  /** `config`, or the file that defines it. */
  origin: z.string(),
  transport: z.string(),
  state: z.string(),
  auth: z.string(),
  problem: z.string().optional(),
  /** What is new about it, where somebody has to agree. */
  change: z.string().optional(),
});

const mcpToolSchema = z.object({
  server: z.string(),
  name: z.string(),
  modelName: z.string(),
  description: z.string(),
  schema: z.record(z.string(), z.unknown()),
  isReadOnly: z.boolean(),
  /** `none`: nobody was asked yet; `changed`: not what was agreed to, and therefore not offered. */
  consent: z.enum(['none', 'given', 'changed']),
  change: z.string().optional(),
});

export const toolListSchema = z
  .object({
    mode: z.string(),
    declaration: declarationSchema,
    mcp: z.object({
      servers: z.array(mcpServerSchema),
      tools: z.array(mcpToolSchema),
      problems: z.array(z.string()),
    }),
  })
  .meta({ id: 'ToolList' });

export type ShownMcpServer = z.output<typeof mcpServerSchema>;
export type ShownMcpTool = z.output<typeof mcpToolSchema>;

export function showMcpServer({ name, origin, transport, state, auth, problem, change }: McpServerInfo) {
  return { name, origin, transport, state, auth, problem, change: change?.diff };
}

export function showMcpTool(tool: McpTool) {
  const { server, name, modelName, description, inputSchema, annotations, consent, change } = tool;
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    server,
    name,
    modelName,
    description,
    schema: inputSchema,
    isReadOnly,
    consent,
    change: change?.diff,
  };
}

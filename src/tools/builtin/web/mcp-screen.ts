import { setTimeout as delay } from 'node:timers/promises';
import { isJsonObject, type JsonObject, omitUndefined } from '../../../core/index.ts';
import { type McpTool, mcpPort } from '../../mcp-port.ts';
import type { Touch } from '../../tool.ts';
import type { ToolContext } from '../../tool-context.ts';
import type { ToolSuccess } from '../../tool-outcome.ts';
import type { Picture, ScreenAction, ScreenPort, ScreenReport } from './media-ports.ts';
import { SCREEN_DIALECTS, type ScreenDialect, type ScreenStep } from './screen-dialect.ts';
import { WebFault } from './web-fault.ts';

interface Screen {
  readonly dialect: ScreenDialect;
  readonly tools: ReadonlyMap<string, McpTool>;
}

/** The screen of an MCP server. Every call it makes is named to the policy beforehand, under the server's own names. */
export function createMcpScreen(server: string): ScreenPort {
  const general: Touch = { type: 'mcp', server, tool: 'computer_use' };
  return {
    touches: [general],
    async touchesOf(actions, context) {
      const screen = await findScreen(server, context).catch(() => undefined);
      const steps = screen ? actions.flatMap((action) => stepsOf(screen, action)) : [];
      const tools = [...new Set(steps.map(({ tool }) => tool))];
      return tools.length === 0 ? [general] : tools.map((tool) => ({ type: 'mcp' as const, server, tool }));
    },
    async perform(actions, context) {
      const screen = await findScreen(server, context);
      let report: ScreenReport = { actionCount: 0 };
      for (const action of actions) {
        const next = await performOne(server, screen, action, context);
        if (typeof next === 'string') return { ...report, error: next };
        report = { ...report, ...next, actionCount: report.actionCount + 1 };
      }
      return report;
    },
  };
}

async function findScreen(server: string, context: ToolContext): Promise<Screen> {
  const { tools, problems } = await context.resources.get(mcpPort).tools(context.signal, server);
  const [problem] = problems;
  if (problem) throw new WebFault('UNAVAILABLE', problem.message);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const dialect = SCREEN_DIALECTS.find(({ needs }) => needs.every((name) => byName.has(name)));
  if (dialect) return { dialect, tools: byName };
  throw new WebFault(
    'UNAVAILABLE',
    `The MCP server ${server} (tools.screen) has no screen that can be worked with: it offers neither the tool computer nor Playwright's tools with coordinates. Start Playwright's server with --caps=vision, or name another.`,
  );
}

function stepsOf({ dialect }: Screen, action: ScreenAction): readonly ScreenStep[] {
  const steps = dialect.steps(action);
  return typeof steps === 'string' ? [] : steps;
}

/** What it showed, or why it could not be done. */
async function performOne(
  server: string,
  { dialect, tools }: Screen,
  action: ScreenAction,
  context: ToolContext,
): Promise<Omit<ScreenReport, 'actionCount'> | string> {
  if (action.type === 'wait') {
    await delay(action.durationMs, undefined, { signal: context.signal });
    return {};
  }
  const steps = dialect.steps(action);
  if (typeof steps === 'string') return `${steps}.`;
  let shown: Omit<ScreenReport, 'actionCount'> = {};
  for (const { tool, args } of steps) {
    const known = tools.get(tool);
    if (!known) return `the MCP server ${server} has no tool ${tool}.`;
    const outcome = await context.resources.get(mcpPort).call({
      server,
      tool,
      args: fitArguments(args, known.inputSchema),
      signal: context.signal,
      clearedFor: known.fingerprint,
      progress: (update) => context.progress(update),
    });
    if (!outcome.ok) return outcome.error.message;
    shown = { ...shown, ...readOutcome(action, outcome) };
  }
  return shown;
}

/** Versions differ in what they take; an `element` is only words for the person who agrees. */
function fitArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const { properties, required } = schema;
  if (!isJsonObject(properties)) return args;
  const known = Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(properties, name)));
  const isNamed = Array.isArray(required) && required.includes('element');
  return isNamed ? { element: 'the place at these coordinates', ...known } : known;
}

function readOutcome(action: ScreenAction, outcome: ToolSuccess): Omit<ScreenReport, 'actionCount'> {
  const place = /\bx\D{0,4}(-?\d+)\D{1,8}y?\D{0,4}(-?\d+)/i.exec(outcome.content);
  return omitUndefined({
    screenshot: pictureOf(outcome),
    cursor:
      action.type === 'cursor_position' && place ? { x: Number(place[1]), y: Number(place[2]) } : undefined,
  });
}

function pictureOf({ parts = [] }: ToolSuccess): Picture | undefined {
  for (const { type, source } of parts) {
    if (type !== 'image' || source.type !== 'base64') continue;
    return { mediaType: source.mediaType ?? 'image/png', bytes: Buffer.from(source.data, 'base64') };
  }
  return undefined;
}

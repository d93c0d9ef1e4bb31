import type { OutputFormat, ToolChoice, ToolReference } from '../../core/index.ts';
import { type AgentTools, SERVER_NAME } from './agent-tools.ts';

export interface RuleOptions {
  readonly system: string;
  readonly tools: AgentTools;
  readonly toolChoice: ToolChoice | undefined;
  readonly parallelToolCalls: boolean | undefined;
  readonly output: OutputFormat | undefined;
}

/** The caller's instructions, and in words what this protocol has no field for. */
export function writeRules(options: RuleOptions): string {
  const { system, tools, toolChoice, parallelToolCalls, output } = options;
  const rules = [system];
  if (tools.list.length > 0) {
    const names = tools.wireNames.join(', ');
    rules.push(
      `The tools of this conversation are those of the MCP server "${SERVER_NAME}": ${names}. ` +
        'Use these for every action, also where a built-in tool of the same purpose seems to exist.',
    );
    rules.push(sayToolChoice(toolChoice));
    if (parallelToolCalls === false) rules.push('Call one tool at a time.');
  }
  rules.push(sayOutput(output));
  return rules.filter((rule) => rule !== '').join('\n\n');
}

function sayToolChoice(choice: ToolChoice | undefined): string {
  if (choice?.type === 'required' || (choice?.type === 'allowed' && choice.mode === 'required')) {
    return 'Answer the next message with at least one tool call.';
  }
  return choice?.type === 'tool' ? `Answer the next message with a call of the tool ${choice.name}.` : '';
}

function sayOutput(output: OutputFormat | undefined): string {
  if (output?.type === 'json') return 'Answer with one JSON value and nothing else.';
  if (output?.type !== 'json-schema') return '';
  return `Answer with one JSON value and nothing else. It must match this JSON Schema:\n${JSON.stringify(output.schema)}`;
}

/** The tools that may be called: none at all, a few, or all that were declared. */
export function isToolAllowed(tool: ToolReference, choice: ToolChoice | undefined): boolean {
  if (choice?.type === 'none') return false;
  if (choice?.type !== 'allowed') return true;
  return choice.tools.some(({ name }) => name === tool.name);
}

import type { AgentRule, AgentTask, Mode, Surroundings } from '../../core/index.ts';
import type { PromptTexts } from './prompt-texts.ts';

export interface ComposeOptions {
  readonly task: Pick<AgentTask, 'surroundings' | 'systemPrompt'>;
  readonly mode: Mode;
  readonly texts: PromptTexts;
  /** When the run began: a prompt that changes with the clock could not be cached. */
  readonly startedAtMs: number;
}

/** The system prompt of one mode: how to work, where, and what the user and the workspace ask for. */
export function composePrompt({ task, mode, texts, startedAtMs }: ComposeOptions): string {
  const { surroundings = {}, systemPrompt } = task;
  const { rules, onDemand, instructions } = surroundings;
  const sections = [
    // Whoever brings a prompt of their own says where they are, or does not want it said.
    systemPrompt?.replace ?? `${texts.base}\n\n${texts[mode]}\n\n${describePlace(surroundings, startedAtMs)}`,
    section(
      'Rules',
      'Set by the user and the workspace. Follow them; where they contradict what the user says now, the user is right.',
      rules,
    ),
    section(
      'On demand',
      'Read one of these with your tools before you do what it is about; otherwise leave it.',
      onDemand,
    ),
    section('Servers', 'What the connected MCP servers say about the use of their tools.', instructions),
    systemPrompt?.append,
  ];
  return sections.filter((text) => text !== undefined && text.trim() !== '').join('\n\n');
}

function describePlace(place: Surroundings, startedAtMs: number): string {
  const { workspaces = [], os, shell, timeZone } = place;
  const lines = [
    workspaces.length > 1
      ? `Workspaces: ${workspaces.join(', ')} (the first one is the main one)`
      : undefined,
    workspaces.length === 1 ? `Workspace: ${workspaces[0]}` : undefined,
    os === undefined ? undefined : `Operating system: ${os}`,
    shell === undefined ? undefined : `Shell: ${shell}`,
    `Date: ${formatDate(startedAtMs, timeZone)}`,
  ];
  return ['# Surroundings', ...lines.filter((line) => line !== undefined)].join('\n');
}

function formatDate(ms: number, timeZone: string | undefined): string {
  const options = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  try {
    const date = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: timeZone ?? 'UTC' }).format(ms);
    return `${date} (time zone ${timeZone ?? 'UTC'})`;
  } catch {
    // Clients send time zones that this platform may not know; a date is then better than an error.
    return `${new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(ms)} (UTC)`;
  }
}

function section(title: string, lead: string, rules: readonly AgentRule[] | undefined): string | undefined {
  if (!rules || rules.length === 0) return undefined;
  const entries = rules.map(({ name, text }) => `## ${name}\n${text.trim()}`);
  return [`# ${title}`, lead, ...entries].join('\n\n');
}

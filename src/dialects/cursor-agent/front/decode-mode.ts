// AgentMode numbers and our modes. Triage, project, multitask and custom modes differ from agent mode by prompts that
// only their maker has; they run as agent mode.
import type { Mode } from '../../../core/index.ts';
import { AgentMode } from '../../../gen/agent/v1/user_message_pb.ts';

const MODE_BY_NUMBER: Readonly<Record<number, Mode>> = {
  [AgentMode.AGENT]: 'agent',
  [AgentMode.ASK]: 'chat',
  [AgentMode.PLAN]: 'plan',
  [AgentMode.DEBUG]: 'debug',
  [AgentMode.TRIAGE]: 'agent',
  [AgentMode.PROJECT]: 'agent',
  [AgentMode.MULTITASK]: 'agent',
  [AgentMode.CUSTOM]: 'agent',
};

const NUMBER_BY_MODE: Readonly<Record<Mode, AgentMode>> = {
  agent: AgentMode.AGENT,
  chat: AgentMode.ASK,
  plan: AgentMode.PLAN,
  debug: AgentMode.DEBUG,
  search: AgentMode.ASK,
};

/** Undefined for "not said" and for numbers of a newer protocol. */
export function decodeMode(mode: AgentMode | undefined): Mode | undefined {
  return mode === undefined ? undefined : MODE_BY_NUMBER[mode];
}

export function encodeMode(mode: Mode): AgentMode {
  return NUMBER_BY_MODE[mode];
}

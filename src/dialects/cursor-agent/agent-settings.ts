// What an operator can choose about an agent upstream. All of it is written in `capabilities`, as `name` or `name=value`.
import { GatewayError } from '../../core/index.ts';
import { AgentMode } from '../../gen/agent/v1/user_message_pb.ts';

export const CURSOR_AGENT = 'cursor-agent';

/**
 * Where the system prompt and the history travel. No channel is documented by the backend's makers; which of them a
 * server honours has to be tried. The first is the default.
 */
export const PROMPT_STRATEGIES = ['cloud-rule', 'custom-prompt', 'history-field', 'plain-text'] as const;
export type PromptStrategy = (typeof PROMPT_STRATEGIES)[number];

const MODES = { agent: AgentMode.AGENT, ask: AgentMode.ASK, plan: AgentMode.PLAN } as const;

export interface AgentSettings {
  readonly promptStrategy: PromptStrategy;
  readonly mode: AgentMode;
  /** False sends `x-ghost-mode: false`: the backend may then keep what it sees. */
  readonly isPrivate: boolean;
  readonly maxMode: boolean;
  readonly transport: 'auto' | 'http1' | 'http2';
}

export function readSettings(capabilities: readonly string[]): AgentSettings {
  const values = new Map(capabilities.map(splitCapability));
  return {
    promptStrategy: choose(values, 'prompt', PROMPT_STRATEGIES),
    mode: MODES[choose(values, 'mode', ['agent', 'ask', 'plan'] as const)],
    isPrivate: !values.has('share-data'),
    maxMode: values.has('max-mode'),
    transport: values.has('http1') ? 'http1' : values.has('http2') ? 'http2' : 'auto',
  };
}

function splitCapability(capability: string): [string, string] {
  const [name = '', ...value] = capability.split('=');
  return [name.trim(), value.join('=').trim()];
}

function choose<Choice extends string>(
  values: ReadonlyMap<string, string>,
  name: string,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const value = values.get(name);
  if (value === undefined) return choices[0];
  const known = choices.find((choice) => choice === value);
  if (known !== undefined) return known;
  throw new GatewayError(
    'invalid-request',
    `The capability \`${name}=${value}\` of a ${CURSOR_AGENT} upstream is not known; use ${choices.join(', ')}.`,
  );
}

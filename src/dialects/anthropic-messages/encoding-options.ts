// What an upstream of this dialect can take, from its configured capabilities and the model's name. Output limits of
// the older models are Anthropic's published ones; every later model takes the default.
import type { UpstreamOptions } from '../dialect.ts';

export interface MessagesEncoding {
  /** `output_config.format` and `strict` tools are understood; otherwise a forced tool carries the answer. */
  readonly structuredOutput: boolean;
  /** The model chooses how long to think by effort, instead of by a budget. */
  readonly adaptiveThinking: boolean;
  /** What the upstream's model list said about the longest answer of each model. */
  readonly outputLimits?: ReadonlyMap<string, number>;
}

/** Capabilities: `structured_output`, `adaptive_thinking` (and `bearer`, see upstream.ts). */
export function chooseEncoding(options: Pick<UpstreamOptions, 'capabilities'>): MessagesEncoding {
  const has = (capability: string) => options.capabilities.includes(capability);
  return { structuredOutput: has('structured_output'), adaptiveThinking: has('adaptive_thinking') };
}

const DEFAULT_MAX_TOKENS = 32_000;
const OLDER_LIMITS: readonly (readonly [RegExp, number])[] = [
  [/claude-3-(?:opus|sonnet|haiku)|claude-2|claude-instant/, 4096],
  [/claude-3-5-/, 8192],
];

/** The API insists on `max_tokens`; other dialects do not send one. */
export function defaultMaxTokens(model: string, encoding: MessagesEncoding): number {
  const listed = encoding.outputLimits?.get(model);
  if (listed !== undefined) return listed;
  return OLDER_LIMITS.find(([pattern]) => pattern.test(model))?.[1] ?? DEFAULT_MAX_TOKENS;
}

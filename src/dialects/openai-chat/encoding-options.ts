// What a chat server can take, from its address and its configured capabilities. That OpenAI takes everything and
// DeepSeek and Moonshot want thoughts replayed is documented by them; the defaults for all others are the careful ones.
import type { UpstreamOptions } from '../dialect.ts';

export interface ChatEncoding {
  /** The `developer` role is understood; otherwise such messages become `system`. */
  readonly developerRole: boolean;
  /** Custom (free text, grammar) tools are understood; otherwise they are lowered to functions. */
  readonly customTools: boolean;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Thoughts of earlier turns are sent back as `reasoning_content`, also when another dialect brought them. */
  readonly reasoningReplay: boolean;
  /** Fields only OpenAI has (store, metadata, verbosity …) may be sent for requests of other dialects. */
  readonly openaiFields: boolean;
  /** `cache_control` on parts is understood. */
  readonly cacheControl: boolean;
}

export const CHAT_BASE_URL = 'https://api.openai.com/v1';

const REPLAY_HOSTS: ReadonlySet<string> = new Set(['api.deepseek.com', 'api.moonshot.ai', 'api.moonshot.cn']);

/**
 * Capabilities: `developer_role`, `custom_tools`, `max_completion_tokens`, `reasoning_replay`, `openai_fields`,
 * `cache_control`.
 */
export function chooseEncoding(options: Pick<UpstreamOptions, 'baseUrl' | 'capabilities'>): ChatEncoding {
  const host = hostOf(options.baseUrl ?? CHAT_BASE_URL);
  const isOpenAi = host === 'api.openai.com';
  const has = (capability: string) => options.capabilities.includes(capability);
  return {
    developerRole: isOpenAi || has('developer_role'),
    customTools: isOpenAi || has('custom_tools'),
    maxTokensField: isOpenAi || has('max_completion_tokens') ? 'max_completion_tokens' : 'max_tokens',
    reasoningReplay: REPLAY_HOSTS.has(host) || has('reasoning_replay'),
    openaiFields: isOpenAi || has('openai_fields'),
    cacheControl: host === 'openrouter.ai' || has('cache_control'),
  };
}

function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
}

import { AGENT_PROMPT } from './agent.ts';
import { BASE_PROMPT } from './base.ts';
import { CHAT_PROMPT } from './chat.ts';
import { COMPACTION_PROMPT } from './compaction.ts';
import { DEBUG_PROMPT } from './debug.ts';
import { PLAN_PROMPT } from './plan.ts';
import type { PromptTexts } from './prompt-texts.ts';
import { SEARCH_PROMPT } from './search.ts';

export { composePrompt } from './compose-prompt.ts';
export type { PromptTexts } from './prompt-texts.ts';
export { subTaskPrompt } from './sub-task.ts';

export const DEFAULT_PROMPTS: PromptTexts = {
  base: BASE_PROMPT,
  agent: AGENT_PROMPT,
  chat: CHAT_PROMPT,
  plan: PLAN_PROMPT,
  debug: DEBUG_PROMPT,
  search: SEARCH_PROMPT,
  compaction: COMPACTION_PROMPT,
};

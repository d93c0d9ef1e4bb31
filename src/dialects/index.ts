// THE list: one line per front, one per upstream kind.
import { anthropicMessagesFront, anthropicMessagesUpstream } from './anthropic-messages/index.ts';
import { cursorAgentUpstream } from './cursor-agent/index.ts';
import { type CursorByokOptions, createCursorByokFront } from './cursor-byok/index.ts';
import { demoUpstream } from './demo/index.ts';
import type { Front, UpstreamKind } from './dialect.ts';
import { openaiChatFront, openaiChatUpstream } from './openai-chat/index.ts';
import { openaiResponsesFront, openaiResponsesUpstream } from './openai-responses/index.ts';

export interface FrontOptions {
  readonly byok?: CursorByokOptions;
}

/** Fronts may hold state of their own (caches), so each gateway makes its own. */
export function createFronts(options: FrontOptions = {}): readonly Front[] {
  return [
    openaiChatFront,
    openaiResponsesFront,
    anthropicMessagesFront,
    createCursorByokFront({
      chat: openaiChatFront,
      responses: openaiResponsesFront,
      options: options.byok ?? {},
    }),
  ];
}

export const UPSTREAM_KINDS: readonly UpstreamKind[] = [
  openaiChatUpstream,
  openaiResponsesUpstream,
  anthropicMessagesUpstream,
  cursorAgentUpstream,
  demoUpstream,
];

// THE list: one line per front, one per upstream kind.
import { anthropicMessagesFront, anthropicMessagesUpstream } from './anthropic-messages/index.ts';
import { demoUpstream } from './demo/index.ts';
import type { Front, UpstreamKind } from './dialect.ts';
import { openaiChatFront, openaiChatUpstream } from './openai-chat/index.ts';
import { openaiResponsesFront, openaiResponsesUpstream } from './openai-responses/index.ts';

export const FRONTS: readonly Front[] = [openaiChatFront, openaiResponsesFront, anthropicMessagesFront];

export const UPSTREAM_KINDS: readonly UpstreamKind[] = [
  openaiChatUpstream,
  openaiResponsesUpstream,
  anthropicMessagesUpstream,
  demoUpstream,
];

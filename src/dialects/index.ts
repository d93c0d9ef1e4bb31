// THE list: one line per front, one per upstream kind.
import { anthropicMessagesFront, anthropicMessagesUpstream } from './anthropic-messages/index.ts';
import {
  type AgentHost,
  type FrontOptions as CursorAgentOptions,
  createCursorAgentFront,
} from './cursor-agent/front/index.ts';
import { cursorAgentUpstream } from './cursor-agent/index.ts';
import { type AiserverHost, createCursorAiserverFront } from './cursor-aiserver/index.ts';
import { type CursorByokOptions, createCursorByokFront } from './cursor-byok/index.ts';
import { demoUpstream } from './demo/index.ts';
import type { Front, UpstreamKind } from './dialect.ts';
import type { NativeFront } from './native-front.ts';
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

export interface NativeHosts {
  readonly agent: AgentHost;
  readonly aiserver: AiserverHost;
}

/** By name: they need hosts to exist, and some only ask what is served. */
export const NATIVE_DIALECTS: readonly string[] = ['cursor-agent', 'cursor-aiserver'];

/** Fronts whose client runs the tools while the gateway runs the loop. */
export function createNativeFronts(
  hosts: NativeHosts,
  options: CursorAgentOptions = {},
): readonly NativeFront[] {
  return [createCursorAgentFront(hosts.agent, options), createCursorAiserverFront(hosts.aiserver)];
}

export const UPSTREAM_KINDS: readonly UpstreamKind[] = [
  openaiChatUpstream,
  openaiResponsesUpstream,
  anthropicMessagesUpstream,
  cursorAgentUpstream,
  demoUpstream,
];

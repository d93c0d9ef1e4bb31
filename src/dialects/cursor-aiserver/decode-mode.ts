import type { Mode } from '../../core/index.ts';
import {
  type StreamUnifiedChatRequest,
  StreamUnifiedChatRequest_UnifiedMode as UnifiedMode,
} from '../../gen/aiserver/v1/chat_request_pb.ts';

const MODES_BY_NUMBER: ReadonlyMap<number, Mode> = new Map<number, Mode>([
  [UnifiedMode.CHAT, 'chat'],
  [UnifiedMode.AGENT, 'agent'],
  [UnifiedMode.EDIT, 'agent'],
  [UnifiedMode.PLAN, 'plan'],
  [UnifiedMode.DEBUG, 'debug'],
]);

const MODES_BY_NAME: Readonly<Record<string, Mode>> = {
  ask: 'chat',
  chat: 'chat',
  agent: 'agent',
  edit: 'agent',
  manual: 'agent',
  plan: 'plan',
  spec: 'plan',
  debug: 'debug',
  search: 'search',
};

/** The mode by its number, its name, the flags of old clients, and at last by whether there are tools. */
export function decodeMode(request: StreamUnifiedChatRequest): Mode {
  const number = request.unifiedMode ?? request.conversation.at(-1)?.unifiedMode;
  const numbered = number === undefined ? undefined : MODES_BY_NUMBER.get(number);
  if (numbered) return numbered;
  if (request.isQuickSearchQuery) return 'search';
  if (request.isSpecMode) return 'plan';
  const named = modeNamed(request.unifiedModeName ?? '');
  if (named) return named;
  if (request.isAgentic) return 'agent';
  if (request.isChat) return 'chat';
  return request.supportedTools.length + request.mcpTools.length > 0 ? 'agent' : 'chat';
}

/** A mode by the name that clients give it; undefined for names of the users' own. */
export function modeNamed(name: string): Mode | undefined {
  return MODES_BY_NAME[name.trim().toLowerCase()];
}

import { type IdSource, type TurnRequest, textOf } from '../../core/index.ts';
import { uuidOf } from './uuid-of.ts';

/**
 * The backend wants one id for a whole conversation; stateless clients have none. The client's own session name is used
 * where it sends one, else what the conversation began with, which every later request of it repeats.
 */
export function conversationIdOf(request: TurnRequest, owner: string | undefined, newId: IdSource): string {
  const session = request.session ?? request.promptCacheKey;
  if (session !== undefined) return uuidOf(JSON.stringify(['session', owner ?? '', session]));
  const first = request.messages.find(({ role }) => role === 'user');
  const opening = first && textOf(first.content);
  if (!opening) return uuidOf(newId('conversation-'));
  return uuidOf(JSON.stringify(['opening', owner ?? '', request.model, opening]));
}

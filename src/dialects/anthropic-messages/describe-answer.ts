import type { TurnStart } from '../../core/index.ts';
import type { EncodeContext } from '../dialect.ts';

export type AnswerHead = { id: string; type: 'message'; role: 'assistant'; model: string };

/** What `message_start` and a whole answer begin with. Another dialect's id would not look like a message's. */
export function describeAnswer(start: TurnStart | undefined, context: EncodeContext): AnswerHead {
  const { responseId } = start ?? {};
  return {
    id: responseId?.startsWith('msg_') ? responseId : context.newId('msg_'),
    type: 'message',
    role: 'assistant',
    model: start?.model ?? context.model,
  };
}

import { describe, expect, it } from 'vitest';
import { countingIds, type TurnRequest } from '../../core/index.ts';
import { conversationIdOf } from './conversation-id.ts';
import { turnRequest, userSays } from './fixtures/play-turn.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const newId = countingIds();
const idOf = (request: Partial<TurnRequest>, owner?: string) =>
  conversationIdOf(turnRequest(request), owner, newId);

describe('the id of a conversation', () => {
  it('is a UUID that later requests of the conversation repeat', () => {
    const first = idOf({ messages: [userSays('Hello')] });
    expect(first).toMatch(UUID);
    expect(idOf({ messages: [userSays('Hello'), userSays('More')] })).toBe(first);
  });

  it('follows the session of the client where there is one', () => {
    expect(idOf({ session: 's', messages: [userSays('a')] })).toBe(
      idOf({ session: 's', messages: [userSays('b')] }),
    );
  });

  it('differs between callers, sessions and openings, and is new when nothing was said', () => {
    const ids = [
      idOf({}),
      idOf({}, 'key-1'),
      idOf({ session: 's' }),
      idOf({ session: 't' }),
      idOf({ messages: [userSays('Other')] }),
      idOf({ messages: [] }),
      idOf({ messages: [] }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });
});

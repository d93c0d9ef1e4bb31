import { describe, expect, it } from 'vitest';
import type { AgentCall, CallResult, JsonObject } from '../core/index.ts';
import type { DocumentShelf } from '../dialects/dialect.ts';
import { createCallLedger } from './call-ledger.ts';

function shelf(): DocumentShelf {
  const kept = new Map<string, JsonObject>();
  return {
    get: async (kind, id) => kept.get(kind + id),
    put: async (kind, id, value) => {
      kept.set(kind + id, value);
    },
    delete: async (kind, id) => kept.delete(kind + id),
  };
}

const call: AgentCall = { callId: 'call_1', name: 'write', kind: 'function', argumentsText: '{"path":"a"}' };
const result: CallResult = { content: [{ type: 'text', text: 'written' }], isError: false };

describe('createCallLedger', () => {
  it('knows a call that ended, with its result, also through a new ledger', async () => {
    const documents = shelf();
    const ledger = createCallLedger(documents, 'conversation');
    expect(await ledger.begin(call)).toEqual({ state: 'new' });
    await ledger.finish(call, result);
    expect(await createCallLedger(documents, 'conversation').begin(call)).toEqual({ state: 'done', result });
  });

  it('knows a call that began and never ended', async () => {
    const documents = shelf();
    await createCallLedger(documents, 'conversation').begin(call);
    expect(await createCallLedger(documents, 'conversation').begin(call)).toEqual({ state: 'interrupted' });
  });

  it('remembers the last two rounds and forgets the ones before', async () => {
    const ledger = createCallLedger(shelf(), 'conversation');
    const other = (callId: string) => ({ ...call, callId });
    for (const one of [call, other('call_2'), other('call_3')]) {
      await ledger.openRound([one]);
      await ledger.begin(one);
      await ledger.finish(one, result);
    }
    expect(await ledger.begin(other('call_3'))).toEqual({ state: 'done', result });
    expect(await ledger.begin(other('call_2'))).toEqual({ state: 'done', result });
    expect(await ledger.begin(call)).toEqual({ state: 'new' });
  });

  it('forgets nothing when a round is opened again', async () => {
    const ledger = createCallLedger(shelf(), 'conversation');
    await ledger.openRound([call]);
    await ledger.begin(call);
    for (let again = 0; again < 5; again += 1) await ledger.openRound([call]);
    expect(await ledger.begin(call)).toEqual({ state: 'interrupted' });
  });

  it.each([
    ['another conversation', 'other', call],
    ['other arguments', 'conversation', { ...call, argumentsText: '{"path":"b"}' }],
    ['another tool', 'conversation', { ...call, name: 'delete' }],
  ])('takes the same id in %s for another call', async (_, conversation, other) => {
    const documents = shelf();
    await createCallLedger(documents, 'conversation').begin(call);
    expect(await createCallLedger(documents, conversation).begin(other)).toEqual({ state: 'new' });
  });
});

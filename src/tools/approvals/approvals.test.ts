import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countingIds, type JsonObject } from '../../core/index.ts';
import type { ApprovalEvent, ApprovalRequest, ApprovalStore } from './approval.ts';
import { Approvals } from './approvals.ts';
import { askPerson } from './ask-person.ts';
import { createFolderApprovalStore } from './folder-approval-store.ts';
import { createMemoryApprovalStore } from './memory-approval-store.ts';

const REQUEST: ApprovalRequest = {
  callId: 'call_1',
  fingerprint: 'f1',
  tool: 'run_terminal_command_v2',
  args: { command: 'npm publish' },
  risk: 'execute',
  preview: 'npm publish',
  reason: 'No rule allows `npm publish`.',
  rule: 'builtin:unknown-command',
  alwaysRule: { decision: 'allow', command: 'npm publish $' },
};

function desk(store: ApprovalStore = createMemoryApprovalStore()) {
  const time = { nowMs: 1_000, timers: new Map<() => void, number>() };
  const events: ApprovalEvent[] = [];
  const approvals = new Approvals({
    store,
    timeoutMs: 60_000,
    nowMs: () => time.nowMs,
    newId: countingIds(),
    schedule: (delayMs, callback) => {
      time.timers.set(callback, time.nowMs + delayMs);
      return () => time.timers.delete(callback);
    },
  });
  approvals.subscribe((event) => events.push(event));
  const pass = (ms: number) => {
    time.nowMs += ms;
    for (const [callback, atMs] of [...time.timers]) {
      if (atMs > time.nowMs) continue;
      time.timers.delete(callback);
      callback();
    }
  };
  return { approvals, events, pass, time, store };
}

const requested = async (
  { approvals, events }: ReturnType<typeof desk>,
  request = REQUEST,
  signal?: AbortSignal,
) => {
  const answer = approvals.request(request, signal);
  await expect.poll(() => events).toHaveLength(1);
  return { answer, id: events[0]?.approval.id ?? '' };
};

describe('an approval', () => {
  it('is listed with everything a person needs to decide', async () => {
    const table = desk();
    const { id } = await requested(table);
    expect(await table.approvals.get(id)).toMatchObject({
      ...REQUEST,
      state: 'pending',
      createdAtMs: 1_000,
      expiresAtMs: 61_000,
    });
    expect(table.events).toMatchObject([{ type: 'approval-requested' }]);
  });

  it.each([{ type: 'once' }, { type: 'always' }, { type: 'deny', feedback: 'use npm pack' }] as const)(
    'gives the answer %j to whoever waits',
    async (given) => {
      const table = desk();
      const { answer, id } = await requested(table);
      await table.approvals.answer(id, given);
      expect(await answer).toMatchObject({ state: 'answered', answer: given });
      expect(table.events.map((event) => event.type)).toEqual(['approval-requested', 'approval-answered']);
      expect(table.time.timers.size).toBe(0);
    },
  );

  it('expires when nobody answers, and cannot be answered then', async () => {
    const table = desk();
    const { answer, id } = await requested(table);
    table.pass(60_000);
    expect(await answer).toMatchObject({ state: 'expired' });
    await expect(table.approvals.answer(id, { type: 'once' })).rejects.toThrow(
      /is expired and cannot be answered/,
    );
  });

  it('is too late by the clock even when the timer has not fired', async () => {
    const table = desk();
    const { answer, id } = await requested(table);
    table.time.nowMs += 60_001;
    await expect(table.approvals.answer(id, { type: 'once' })).rejects.toThrow(/expired/);
    expect(await answer).toMatchObject({ state: 'expired' });
  });

  it('is answered once', async () => {
    const table = desk();
    const { id } = await requested(table);
    const answers = await Promise.allSettled([
      table.approvals.answer(id, { type: 'deny' }),
      table.approvals.answer(id, { type: 'once' }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual(['fulfilled', 'rejected']);
    expect(await table.approvals.get(id)).toMatchObject({ answer: { type: 'deny' } });
  });

  it('refuses "always" where no rule is on offer', async () => {
    const table = desk();
    const { alwaysRule: _, ...request } = REQUEST;
    const { id } = await requested(table, request);
    await expect(table.approvals.answer(id, { type: 'always' })).rejects.toThrow(/answer once or deny/);
  });

  it('says so when there is no such approval', async () => {
    await expect(desk().approvals.answer('apr_9', { type: 'once' })).rejects.toThrow(
      /There is no approval apr_9/,
    );
  });

  it('ends when the call is cancelled', async () => {
    const table = desk();
    const controller = new AbortController();
    const { answer } = await requested(table, REQUEST, controller.signal);
    controller.abort();
    expect(await answer).toMatchObject({ state: 'cancelled' });
  });

  it('is one question for the same call, however often it is asked', async () => {
    const table = desk();
    const { answer, id } = await requested(table);
    const again = table.approvals.request(REQUEST);
    await table.approvals.answer(id, { type: 'once' });
    expect((await again).id).toBe(id);
    expect((await answer).id).toBe(id);
  });

  it('is another question when the call touches something else', async () => {
    const table = desk();
    const { answer, id } = await requested(table);
    await table.approvals.answer(id, { type: 'once' });
    await answer;
    void table.approvals.request({ ...REQUEST, fingerprint: 'f2' });
    await expect.poll(() => table.approvals.list('pending')).toHaveLength(1);
  });
});

describe('after a restart', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'approvals-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps the last of several states that are saved at once', async () => {
    const store = createFolderApprovalStore(folder);
    const before = desk(store);
    await requested(before);
    const [pending] = await before.approvals.list('pending');
    if (!pending) throw new Error('Nothing is pending.');
    before.approvals.close();
    const states = ['pending', 'answered', 'expired'] as const;
    await Promise.all(states.map((state) => store.save({ ...pending, state })));
    expect(await createFolderApprovalStore(folder).load()).toMatchObject([{ state: 'expired' }]);
  });

  it('a pending approval is still there, keeps its deadline, and its answer reaches the call that comes again', async () => {
    const before = desk(createFolderApprovalStore(folder));
    const { id } = await requested(before);
    before.approvals.close();

    const after = desk(createFolderApprovalStore(folder));
    after.time.nowMs = 30_000;
    expect(await after.approvals.list('pending')).toMatchObject([{ id, expiresAtMs: 61_000 }]);
    await after.approvals.answer(id, { type: 'once' });
    expect(await after.approvals.request(REQUEST)).toMatchObject({ id, answer: { type: 'once' } });
    await after.approvals.consume(id);

    const last = desk(createFolderApprovalStore(folder));
    expect(await last.approvals.list()).toEqual([]);
  });

  it('a call that comes again while its approval is pending is told of it, and waits for the answer', async () => {
    const before = desk(createFolderApprovalStore(folder));
    const { id } = await requested(before);
    before.approvals.close();
    const after = desk(createFolderApprovalStore(folder));
    const again = await requested(after);
    expect(again.id).toBe(id);
    await after.approvals.answer(id, { type: 'once' });
    expect(await again.answer).toMatchObject({ answer: { type: 'once' } });
  });

  it('a question is gone with the call that asked it', async () => {
    const before = desk(createFolderApprovalStore(folder));
    await requested(before, { ...REQUEST, kind: 'question' });
    before.approvals.close();
    expect(await desk(createFolderApprovalStore(folder)).approvals.list()).toEqual([]);
  });

  it('one whose time ran out meanwhile is denied', async () => {
    const before = desk(createFolderApprovalStore(folder));
    const { id } = await requested(before);
    const after = desk(createFolderApprovalStore(folder));
    after.time.nowMs = 100_000;
    await after.approvals.list();
    after.pass(0);
    await expect.poll(async () => (await after.approvals.get(id))?.state).toBe('expired');
  });

  it('files are for the user alone, and damaged ones are passed over', async () => {
    const table = desk(createFolderApprovalStore(folder));
    const { id } = await requested(table);
    expect(statSync(path.join(folder, `${id}.json`)).mode & 0o777).toBe(0o600);
    writeFileSync(path.join(folder, 'zzz.json'), '{"id": 1');
    expect(await createFolderApprovalStore(folder).load()).toHaveLength(1);
  });
});

describe('a question', () => {
  const form = { type: 'text', text: 'draft' } as const;
  const question = {
    kind: 'question',
    asker: 'a tool',
    preview: 'Good?',
    reason: 'r',
    rule: 'user:plan',
  } as const;
  const never = new AbortController().signal;

  it.each([
    [{ type: 'once' }, { type: 'agreed' }],
    [
      { type: 'reply', content: { text: 'better' } },
      { type: 'agreed', content: { text: 'better' } },
    ],
    [
      { type: 'deny', feedback: 'no' },
      { type: 'refused', reason: 'no' },
    ],
  ] as const)('answered with %j gives %j and is kept by nobody', async (given, expected) => {
    const table = desk();
    const answer = askPerson(table.approvals, { ...question, form, callId: 'c' }, never);
    await expect.poll(() => table.events).toHaveLength(1);
    expect(table.events[0]?.approval).toMatchObject({ kind: 'question', callId: 'c', tool: 'a tool', form });
    await table.approvals.answer(table.events[0]?.approval.id ?? '', given);
    expect(await answer).toEqual(expected);
    expect(await table.approvals.list()).toEqual([]);
  });

  it('that nobody answers, or that is called off, says so', async () => {
    const table = desk();
    const late = askPerson(table.approvals, question, never);
    await expect.poll(() => table.events).toHaveLength(1);
    table.pass(60_000);
    expect(await late).toEqual({ type: 'unanswered', why: 'expired' });
    const gone = new AbortController();
    const off = askPerson(table.approvals, question, gone.signal);
    gone.abort();
    expect(await off).toEqual({ type: 'unanswered', why: 'cancelled' });
  });

  it('takes no reply without a form, and with one only what fits', async () => {
    const table = desk();
    const { id } = await requested(table);
    const reply = { type: 'reply', content: {} } as const;
    await expect(table.approvals.answer(id, reply)).rejects.toThrow(/takes no reply; answer once or deny/);
    const checkReply = (content: JsonObject) => ('a' in content ? undefined : 'a is missing');
    void askPerson(table.approvals, { ...question, form: { type: 'fields', schema: {} }, checkReply }, never);
    await expect.poll(() => table.events).toHaveLength(2);
    const asked = table.events[1]?.approval.id ?? '';
    await expect(table.approvals.answer(asked, reply)).rejects.toThrow(/a is missing/);
    await expect(table.approvals.answer(asked, { type: 'once' })).rejects.toThrow(/a is missing/);
    await table.approvals.answer(asked, { type: 'reply', content: { a: 1 } });
  });
});

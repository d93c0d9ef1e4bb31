import { describe, expect, it } from 'vitest';
import { decodeAttachments, encodeAttachments } from '../codecs/result-attachments.ts';
import { DiscoveryBudget } from './discovery-budget.ts';

describe('the budget for looking around', () => {
  it('says nothing before most of it is used, then how many rounds are left', () => {
    const budget = new DiscoveryBudget(5);
    expect([1, 2, 3].map(() => budget.attach('read'))).toEqual([{}, {}, {}]);
    expect([4, 5, 6].map(() => budget.attach('read').discovery_budget_reminder)).toEqual([
      { discovery_rounds_remaining: 1 },
      { discovery_rounds_remaining: 0 },
      { discovery_rounds_remaining: 0 },
    ]);
  });

  it('starts anew with a change, and takes no notice of talk', () => {
    const budget = new DiscoveryBudget(1);
    expect(budget.attach('interact')).toEqual({});
    expect(budget.attach('read')).toHaveProperty('todo_reminder');
    expect(budget.attach('write')).toEqual({});
    expect(budget.attach('read').discovery_budget_reminder).toEqual({ discovery_rounds_remaining: 0 });
  });

  it('is carried by the wire in its own field', () => {
    const attached = new DiscoveryBudget(1).attach('read');
    expect(decodeAttachments(encodeAttachments(attached))).toMatchObject({
      discovery_budget_reminder: { discovery_rounds_remaining: 0 },
    });
  });
});

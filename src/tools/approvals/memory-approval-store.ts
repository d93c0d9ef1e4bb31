import type { Approval, ApprovalStore } from './approval.ts';

/** For tests, and for runs that end with the process. */
export function createMemoryApprovalStore(): ApprovalStore {
  const kept = new Map<string, Approval>();
  return {
    load: async () => [...kept.values()],
    save: async (approval) => {
      kept.set(approval.id, approval);
    },
    remove: async (id) => {
      kept.delete(id);
    },
  };
}

export type {
  Approval,
  ApprovalAnswer,
  ApprovalEvent,
  ApprovalRequest,
  ApprovalStore,
} from './approval.ts';
export { Approvals, type ApprovalsOptions } from './approvals.ts';
export { createFolderApprovalStore } from './folder-approval-store.ts';
export { createMemoryApprovalStore } from './memory-approval-store.ts';

export type {
  Approval,
  ApprovalAnswer,
  ApprovalEvent,
  ApprovalForm,
  ApprovalKind,
  ApprovalRequest,
  ApprovalStore,
} from './approval.ts';
export { Approvals, type ApprovalsOptions, type CheckReply } from './approvals.ts';
export { askPerson, type PersonAnswer, type PersonRequest } from './ask-person.ts';
export { createFolderApprovalStore } from './folder-approval-store.ts';
export { createMemoryApprovalStore } from './memory-approval-store.ts';

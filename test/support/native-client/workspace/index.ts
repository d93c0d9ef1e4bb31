export { CUSTOM_SERVER, type DeclaredTool } from './declared-tools.ts';
export type { Execution } from './execution.ts';
export { Workspace, type WorkspaceOptions } from './workspace.ts';

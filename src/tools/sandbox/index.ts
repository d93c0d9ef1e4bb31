export { sandboxArgv } from './sandbox-argv.ts';
export { type SandboxPolicy, type SandboxSettings, sandboxSettings } from './sandbox-policy.ts';
export { type SandboxStatus, type StatusOptions, sandboxProbe, sandboxStatus } from './sandbox-status.ts';
export { seatbeltProfile } from './seatbelt.ts';
export { type PolicyPlaces, workspacePolicy } from './workspace-policy.ts';

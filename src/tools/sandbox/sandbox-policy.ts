import { defineResource } from '../resources.ts';

/** What a sandboxed process may do; everything else on the machine is read-only for it. */
export interface SandboxPolicy {
  /** Folders it may write to, as real paths; the workspace is one of them. */
  readonly writable: readonly string[];
  /** Places inside those that stay read-only: hooks and settings that would run or decide something later. */
  readonly readOnly: readonly string[];
  /** Folders it does not see at all: where the user's keys and this program's state are. */
  readonly hidden: readonly string[];
  readonly allowsNetwork: boolean;
}

/** The user's choice. Off unless asked; once asked, a command that cannot be sandboxed does not run. */
export interface SandboxSettings {
  readonly isOn: boolean;
  readonly allowsNetwork?: boolean;
  readonly extraWritable?: readonly string[];
  /** Folders that no command may see, beside those where keys usually are. */
  readonly hidden?: readonly string[];
}

export const sandboxSettings = defineResource<SandboxSettings>({
  name: 'sandbox-settings',
  create: () => ({ isOn: false }),
});

import type { IdSource } from '../core/index.ts';
import type { Resources } from './resources.ts';
import type { Mode } from './tool.ts';
import type { Workspace } from './workspace.ts';

/** Something worth telling while a long call runs. */
export interface Progress {
  readonly text?: string;
  /** Output as it comes, for whoever watches. */
  readonly output?: { readonly stream: 'stdout' | 'stderr'; readonly text: string };
  readonly fraction?: number;
}

/** Everything a tool may use of the world it runs in. */
export interface ToolContext {
  readonly callId: string;
  readonly workspace: Workspace;
  readonly mode: Mode;
  readonly signal: AbortSignal;
  readonly resources: Resources;
  readonly nowMs: () => number;
  readonly newId: IdSource;
  /** A folder of the runtime's own, for full outputs and journals; mode 0700. */
  readonly stateFolder: string;
  /** The environment for processes, already without secrets. */
  readonly env: Readonly<Record<string, string>>;
  progress(update: Progress): void;
}

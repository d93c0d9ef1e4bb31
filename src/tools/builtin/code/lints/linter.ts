import type { ToolContext } from '../../../tool-context.ts';
import type { SearchRoot } from '../../search/search-root.ts';
import type { Lint } from './lint.ts';

/** Files or folders to check, relative to the workspace; `.` for all of it. */
export type LintTargets = readonly string[];

export interface LintReport {
  readonly lints: readonly Lint[];
  /** Why there may be more, or none: the linter failed, took too long, saw only a part. */
  readonly problem?: string | undefined;
}

/** A linter that this project uses, ready to run. */
export interface Linter {
  readonly name: string;
  /** The programs that run, for permission; none for what is part of this package. */
  readonly commands: readonly string[];
  read(targets: LintTargets, root: SearchRoot, context: ToolContext): Promise<LintReport>;
  /** Absent when it cannot mend anything. */
  fix?(file: string, text: string, root: SearchRoot, context: ToolContext): Promise<string | undefined>;
}

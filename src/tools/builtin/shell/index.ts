import type { Tool } from '../../tool.ts';
import { awaitJob } from './await.ts';
import { runTerminalCommand } from './run-terminal-command.ts';
import { writeShellStdin } from './write-shell-stdin.ts';

export const SHELL_TOOLS: readonly Tool[] = [runTerminalCommand, writeShellStdin, awaitJob];

export { type JobSummary, ShellJobs, shellJobs } from './shell-jobs.ts';
export { SHELL_LIMITS, type ShellLimits } from './shell-limits.ts';

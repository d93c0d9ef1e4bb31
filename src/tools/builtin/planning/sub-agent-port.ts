import { defineResource } from '../../resources.ts';
import type { ToolContext } from '../../tool-context.ts';

export interface SubAgentTask {
  readonly title: string;
  readonly prompt: string;
  /** Which kind of agent, in the model's words: `generalPurpose`, `explore`, `shell` … */
  readonly type: string;
  readonly model?: string;
  /** The sub-agent may look and may not change anything, whatever its type says. */
  readonly isReadOnly: boolean;
  /** The id of an earlier agent that should go on with what it knows. */
  readonly resume?: string;
  /** Absolute paths of files the sub-agent should have before it. */
  readonly attachments: readonly string[];
  /** When not empty, the only folders it may write to; absolute. */
  readonly writableFolders: readonly string[];
}

export interface SubAgentReport {
  /** By which the agent may be resumed. */
  readonly agentId?: string;
  readonly isSuccess: boolean;
  /** Its final words, or why it failed. */
  readonly text: string;
  readonly changedFiles?: readonly string[];
}

/**
 * Runs an agent of its own to the end. Every call the sub-agent makes goes through the same policy as its parent's;
 * `context.signal` ends it, and outlives the parent's call where the task runs in the background.
 */
export interface SubAgentPort {
  run(task: SubAgentTask, context: ToolContext): Promise<SubAgentReport>;
}

/** Set by whoever has an agent loop and a model; a tool runtime alone has neither. */
export const subAgentPort = defineResource<SubAgentPort | undefined>({
  name: 'sub-agent-port',
  create: () => undefined,
});

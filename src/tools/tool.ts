import type { z } from 'zod';
import type { JsonObject, Mode, Parallel } from '../core/index.ts';
import type { ToolContext } from './tool-context.ts';
import type { ToolOutcome } from './tool-outcome.ts';

/** What a call could do to the world, before any rule is asked. */
export type Risk = 'none' | 'read' | 'write' | 'execute' | 'network' | 'interact';

export { MODES, type Mode, type Parallel } from '../core/index.ts';

/** `local` runs here; `remote-only` cannot, and says why; `retired` is understood but no longer offered. */
export type ToolStatus = 'local' | 'remote-only' | 'retired';

/** One thing a call will touch, named before it runs; the policy decides on these and on nothing else. */
export type Touch =
  | { readonly type: 'path'; readonly path: string; readonly access: 'read' | 'write' | 'delete' }
  | { readonly type: 'command'; readonly command: string; readonly cwd: string }
  | { readonly type: 'host'; readonly url: string }
  | { readonly type: 'mcp'; readonly server: string; readonly tool: string }
  | { readonly type: 'user'; readonly purpose: string };

export interface Tool<Args = unknown> {
  /** Its row in the catalogue (`ClientSideToolV2`). */
  readonly number: number;
  /** The canonical name, snake_case; other names are the catalogue's. */
  readonly name: string;
  /** What a model reads; ours, written for models. */
  readonly description: string;
  /** Accepts every spelling of the arguments that clients and models use, and gives the canonical one. */
  readonly args: z.ZodType<Args>;
  readonly risk: Risk;
  readonly modes: readonly Mode[];
  readonly parallel: Parallel;
  readonly status: ToolStatus;
  /** Must name everything `run` will touch; a call that touches more is a bug. */
  touches(args: Args, context: ToolContext): readonly Touch[] | Promise<readonly Touch[]>;
  /** Failures that the model can act on are outcomes, not throws. */
  run(args: Args, context: ToolContext): Promise<ToolOutcome>;
  /** A short preview for whoever approves: the command, the diff. */
  preview?(args: Args, context: ToolContext): string | Promise<string>;
}

/** Keeps the argument type inside the tool while the registry holds tools of all kinds. */
export function defineTool<Args>(tool: Tool<Args>): Tool {
  return tool as Tool; // the runtime hands `run` only what `args` has parsed
}

/** Arguments as they came from a model, a client or a command line. */
export type RawArgs = JsonObject;

import { defineResource } from '../../resources.ts';
import type { Touch } from '../../tool.ts';
import type { ToolContext } from '../../tool-context.ts';

export interface Picture {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export const ASPECT_RATIOS = ['1:1', '4:3', '3:4', '16:9', '9:16'] as const;
export type AspectRatio = (typeof ASPECT_RATIOS)[number];

/** Makes pictures: a service with a key, or a tool of an MCP server. */
export interface ImagePort {
  /** The host or MCP tool it uses, for the policy. */
  readonly touches: readonly Touch[];
  generate(
    request: {
      readonly description: string;
      readonly aspectRatio: AspectRatio;
      readonly references: readonly Picture[];
    },
    signal: AbortSignal,
  ): Promise<Picture>;
}

export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

export type MouseButton = 'left' | 'right' | 'middle' | 'back' | 'forward';

/** One step at a screen; the steps of `agent.v1.ComputerUseAction`. */
export type ScreenAction =
  | { readonly type: 'mouse_move'; readonly at: ScreenPoint }
  | {
      readonly type: 'click';
      readonly at?: ScreenPoint;
      readonly button: MouseButton;
      readonly count: number;
      readonly modifierKeys?: string;
    }
  | { readonly type: 'mouse_down' | 'mouse_up'; readonly button: MouseButton }
  | {
      readonly type: 'drag';
      readonly path: readonly ScreenPoint[];
      readonly button: MouseButton;
      readonly modifierKeys?: string;
    }
  | {
      readonly type: 'scroll';
      readonly at?: ScreenPoint;
      readonly direction: 'up' | 'down' | 'left' | 'right';
      readonly amount: number;
      readonly modifierKeys?: string;
    }
  | { readonly type: 'type'; readonly text: string }
  | { readonly type: 'key'; readonly key: string; readonly holdMs?: number }
  | { readonly type: 'wait'; readonly durationMs: number }
  | { readonly type: 'screenshot' | 'cursor_position' };

export interface ScreenReport {
  readonly actionCount: number;
  /** Why the remaining actions were not done. */
  readonly error?: string;
  readonly screenshot?: Picture;
  readonly log?: string;
  readonly cursor?: ScreenPoint;
}

/** A screen that may be looked at and worked with: a virtual display, a browser, an MCP server that has one. */
export interface ScreenPort {
  readonly touches: readonly Touch[];
  /** What exactly these actions would use, where that can be told beforehand. */
  touchesOf?(actions: readonly ScreenAction[], context: ToolContext): Promise<readonly Touch[]>;
  perform(actions: readonly ScreenAction[], context: ToolContext): Promise<ScreenReport>;
  /** Absent where the screen cannot be recorded. */
  readonly recorder?: ScreenRecorder;
}

export interface ScreenRecorder {
  start(signal: AbortSignal): Promise<{ readonly wasPriorCancelled: boolean }>;
  /** `filename` has no folder; the recorder says where the file is. */
  save(
    filename: string | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly path: string; readonly durationMs: number }>;
  discard(signal: AbortSignal): Promise<void>;
}

export const imagePort = defineResource<ImagePort | undefined>({
  name: 'image-port',
  create: () => undefined,
});
export const screenPort = defineResource<ScreenPort | undefined>({
  name: 'screen-port',
  create: () => undefined,
});

/** A tool whose port is missing only says so, and nobody need agree to that. */
export function portTouches(port: { readonly touches: readonly Touch[] } | undefined): readonly Touch[] {
  return port?.touches ?? [{ type: 'user', purpose: 'say what is missing' }];
}

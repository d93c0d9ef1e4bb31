import { defineResource } from '../../resources.ts';
import type { Mode } from '../../tool.ts';

/** The session's own switch between modes; the runtime is told the mode with every call and cannot change it. */
export interface ModePort {
  switchTo(mode: Mode): void | Promise<void>;
}

export const modePort = defineResource<ModePort | undefined>({ name: 'mode-port', create: () => undefined });

import type { Mode } from '../../core/index.ts';

/** The parts of a system prompt that the configuration may replace: what holds in every mode, and one text per mode. */
export type PromptTexts = Readonly<Record<Mode | 'base' | 'compaction', string>>;

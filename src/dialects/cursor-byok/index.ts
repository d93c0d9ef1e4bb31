export { OUTPUT_DIALECTS, type OutputDialect } from './byok-extra.ts';
export { type CursorByokOptions, type CursorByokParts, createCursorByokFront } from './front.ts';
export { THINKING_STYLES, type ThinkingStyle } from './visible-thinking.ts';

// Options as Cursor's servers write them: a Responses body whose system prompt is an item, with stray chat fields.
// Known from captured requests; see docs/protocols/cursor-byok.md.
import { omitUndefined } from '../../../src/core/index.ts';
import type { OptionWriter } from '../ask-options.ts';
import { readOpenaiError } from './chat-options.ts';
import { writeShared } from './responses-options.ts';

export const byokOptions: OptionWriter = {
  front: 'cursor-byok',
  write(body, options) {
    const { input, ...shared } = writeShared(body, options);
    const system = options.system === undefined ? [] : [{ role: 'system', content: options.system }];
    const stop = options.stop && [...options.stop];
    return { ...body, ...omitUndefined({ ...shared, stop }), input: [...system, ...input] };
  },
  readError: readOpenaiError,
};

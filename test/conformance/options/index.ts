import type { OptionWriter } from '../ask-options.ts';
import { byokOptions } from './byok-options.ts';
import { chatOptions } from './chat-options.ts';
import { messagesOptions } from './messages-options.ts';
import { responsesOptions } from './responses-options.ts';

export const OPTION_WRITERS: readonly OptionWriter[] = [
  chatOptions,
  responsesOptions,
  messagesOptions,
  byokOptions,
];

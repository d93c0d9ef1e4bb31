import { byokClient } from './byok-client.ts';
import { chatClient } from './chat-client.ts';
import type { DemoClient } from './demo-client.ts';
import { messagesClient } from './messages-client.ts';
import { responsesClient } from './responses-client.ts';

export { readFrames } from './converse.ts';
export type * from './demo-client.ts';

/** A client for every front that the demo can show; those whose front is not served are skipped. */
export const DEMO_CLIENTS: readonly DemoClient[] = [chatClient, responsesClient, messagesClient, byokClient];

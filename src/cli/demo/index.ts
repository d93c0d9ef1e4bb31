import { chatStreamed, chatWhole } from './chat-client.ts';
import type { DemoClient } from './demo-client.ts';

export type { DemoCall, DemoClient, DemoReply, DemoTarget, DemoTool } from './demo-client.ts';

/** Every way to talk to the gateway that the demo shows; those whose front is not served are skipped. */
export const DEMO_CLIENTS: readonly DemoClient[] = [chatWhole, chatStreamed];

// A simulated backend and a transport to it, taken down after each test.
import { afterEach } from 'vitest';
import type { OpenRun } from '../../../src/dialects/cursor-agent/agent-connection.ts';
import {
  type AgentTransportOptions,
  createAgentTransport,
  type WatchedAgentTransport,
} from '../../../src/dialects/cursor-agent/transport/create-agent-transport.ts';
import {
  type AgentBackend,
  type AgentBackendOptions,
  plainChat,
  SampleClient,
  startAgentBackend,
} from './index.ts';

export const MODES = ['http2', 'http1'] as const;
export const NEVER = new AbortController().signal;
export const TIMEOUTS = { connectMs: 5_000, firstByteMs: 5_000, idleMs: 120_000 };

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

export interface BackendPair {
  readonly backend: AgentBackend;
  readonly transport: WatchedAgentTransport;
}

export async function startPair(
  backendOptions: Partial<AgentBackendOptions> = {},
  transportOptions: Partial<AgentTransportOptions> = {},
): Promise<BackendPair> {
  const backend = await startAgentBackend({ script: plainChat(), ...backendOptions });
  opened.push({ close: () => backend.stop() });
  return { backend, transport: openTransport({ baseUrl: backend.url, ...transportOptions }) };
}

export function openTransport(options: Partial<AgentTransportOptions>): WatchedAgentTransport {
  const transport = createAgentTransport({
    name: 'test',
    baseUrl: 'http://127.0.0.1:9',
    timeouts: TIMEOUTS,
    headers: {},
    ...options,
  });
  opened.push(transport);
  return transport;
}

export function aRun(run: Partial<OpenRun> = {}): OpenRun {
  return { requestId: 'run-1', originalRequestId: 'run-1', headers: {}, signal: NEVER, ...run };
}

/** Plays one whole run with a client that answers everything. */
export async function playRun({ transport }: BackendPair, run: Partial<OpenRun> = {}): Promise<SampleClient> {
  const client = new SampleClient(await transport.openRun(aRun(run)));
  await client.play();
  return client;
}

import { describe, expect, it } from 'vitest';
import type { AgentCall, AgentEvent, CallResult, ToolPort } from '../core/index.ts';
import type { NativeContext } from '../dialects/native-front.ts';
import type { RemotePort } from '../native/remote-port.ts';
import type { AgentJob, AgentRunner } from './agent-runner.ts';
import { createNativeHosts } from './native-host.ts';

const task = {
  runId: 'run_1',
  model: 'm',
  mode: 'agent',
  messages: [],
  surroundings: { workspaces: ['/srv/app'] },
} as const;
const signal = new AbortController().signal;
const call: AgentCall = {
  callId: 'c',
  name: 'read_file',
  kind: 'function',
  argumentsText: '{"path":"secret.txt"}',
  input: { path: 'secret.txt' },
};

/** Makes one call in place of a model. */
function runnerOf(results: CallResult[]): AgentRunner {
  const run = async function* ({ tools }: AgentJob): AsyncGenerator<AgentEvent> {
    results.push(await tools.run(call, { mode: 'agent', signal, onProgress: () => undefined }));
  };
  return { run } as unknown as AgentRunner; // nothing else of it is used here
}

async function drain(events: AsyncIterable<AgentEvent>): Promise<void> {
  for await (const _event of events);
}

const documents = { get: async () => undefined, put: async () => undefined, delete: async () => undefined };
const context = { documents } as unknown as NativeContext; // all that a run without a model needs

async function forbids({ folders }: { readonly folders: readonly string[] }): Promise<string> {
  return `not in ${folders.join()}`;
}

describe('what the operator forbids', () => {
  it('does not reach a client that runs execs', async () => {
    const results: CallResult[] = [];
    const execs: unknown[] = [];
    const hosts = createNativeHosts(runnerOf(results), Date.now, async () => ({ forbids }));
    await hosts.load();
    const port = {
      exec: async (args: unknown) => void execs.push(args),
      showCall: () => undefined,
      requestContext: { env: { workspacePaths: ['/srv/app'] } },
      mcpTools: [],
      state: { get: () => ({ todos: [] }), set: () => undefined },
    } as unknown as RemotePort; // what one call needs of it
    await drain(hosts.agent.runAgent({ task, port, signal }, context));
    expect(results).toMatchObject([{ isError: true, content: [{ text: 'not in /srv/app' }] }]);
    expect(execs).toEqual([]);
  });

  it('does not reach a client that is handed whole calls', async () => {
    const results: CallResult[] = [];
    const ran: string[] = [];
    const tools: ToolPort = {
      list: async () => [],
      run: async ({ name }) => {
        ran.push(name);
        return { content: [{ type: 'text', text: 'ran' }] };
      },
      parallelOf: () => 'alone',
      isReadOnly: () => true,
    };
    const guarded = createNativeHosts(runnerOf(results), Date.now, async () => ({ forbids }));
    await guarded.load();
    await drain(guarded.aiserver.runAgent({ task, tools, signal }, context));
    expect(results).toMatchObject([{ isError: true, content: [{ text: 'not in /srv/app' }] }]);
    expect(ran).toEqual([]);

    const free = createNativeHosts(runnerOf(results), Date.now);
    await free.load();
    await drain(free.aiserver.runAgent({ task, tools, signal }, context));
    expect(ran).toEqual(['read_file']);
  });
});

// Joins the native fronts to the loop and to the tools: the front offers a client that runs tools, the loop wants a
// model and a ToolPort, and none of the three knows the others.
import { runOnce } from '../agent/index.ts';
import type { AgentEvent, TurnRequest } from '../core/index.ts';
import type { NativeModel } from '../dialects/cursor-agent/front/agent-host.ts';
import type { NativeHosts } from '../dialects/index.ts';
import { listModelAlternatives } from '../dialects/model-alternatives.ts';
import type { NativeContext, NativeFront } from '../dialects/native-front.ts';
import type { RemoteToolsOptions } from '../tools/remote/index.ts';
import type { AgentRunner } from './agent-runner.ts';
import { type ConversationLedger, createCallLedger } from './call-ledger.ts';

const CURSOR_AGENT = 'cursor-agent';
const CURSOR_AISERVER = 'cursor-aiserver';

export interface LoadedHosts extends NativeHosts {
  /** Must have resolved before a stream of either front is opened. */
  load(): Promise<void>;
}

/** What the operator's settings say of calls that clients run; asked for once, with the first stream. */
export type LoadToolOptions = () => Promise<Omit<RemoteToolsOptions, 'nowMs'>>;

export function createNativeHosts(
  runner: AgentRunner,
  nowMs: () => number,
  loadToolOptions: LoadToolOptions = async () => ({}),
): LoadedHosts {
  let loaded: NativeTools | undefined;
  let toolOptions: RemoteToolsOptions = { nowMs };
  const tools = (): NativeTools => {
    if (!loaded) throw new Error('The tools of native fronts are used before they are loaded.');
    return loaded;
  };
  const shared = (front: string) => ({
    runTurn: (request: TurnRequest, context: NativeContext) =>
      runner.ask(front, request, context, context.signal),
    listModels: async (context: NativeContext): Promise<readonly NativeModel[]> =>
      (await runner.listModels(context)).map((model) => ({ displayName: model.id, ...model })),
  });
  return {
    async load() {
      if (loaded) return;
      const [tools, options] = await Promise.all([import('./native-tools.ts'), loadToolOptions()]);
      toolOptions = { ...options, nowMs };
      loaded = tools;
    },
    agent: {
      ...shared(CURSOR_AGENT),
      runAgent({ task, port, clientUpstream, signal }, context) {
        const ledger = createCallLedger(context.documents, task.session ?? task.runId);
        const remote = runOnce(tools().createRemoteTools(port, toolOptions), ledger);
        const run = { front: CURSOR_AGENT, task, tools: remote, clientUpstream, signal };
        return noting(ledger, runner.run(run, context));
      },
      describeCall: (call, port) => tools().describeRemoteCall(call, port),
    },
    aiserver: {
      ...shared(CURSOR_AISERVER),
      runAgent(run, context) {
        const { forbids } = toolOptions;
        const folders = run.task.surroundings?.workspaces ?? [];
        const allowed = forbids ? tools().forbidCalls(run.tools, { forbids, folders }) : run.tools;
        return runner.run({ ...run, tools: allowed, front: CURSOR_AISERVER }, context);
      },
      listModelAlternatives,
      defineTools: (mode, numbers) => tools().numberedTools.defineTools(mode, numbers),
      readArguments: (name, input) => tools().numberedTools.readArguments(name, input),
      get messages() {
        return tools().numberedTools.messages;
      },
    },
  };
}

async function* noting(
  ledger: ConversationLedger,
  events: AsyncIterable<AgentEvent>,
): AsyncGenerator<AgentEvent> {
  for await (const event of events) {
    if (event.type === 'round-open') await ledger.openRound(event.calls);
    yield event;
  }
}

/** A front whose streams open, and whose calls about tools are answered, when its tools are there. */
export function openedAfter(load: () => Promise<void>, front: NativeFront): NativeFront {
  const streams = front.streams.map((method) => ({
    ...method,
    open: async (...given: Parameters<typeof method.open>) => {
      await load();
      await method.open(...given);
    },
  }));
  const unary = front.unary.map((method) => ({
    ...method,
    handle: async (...given: Parameters<typeof method.handle>) => {
      if (method.needsTools === true) await load();
      return method.handle(...given);
    },
  }));
  return { ...front, streams, unary };
}

type NativeTools = typeof import('./native-tools.ts');

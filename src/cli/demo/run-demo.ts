import { GatewayError, omitUndefined } from '../../core/index.ts';
import { converse } from './converse.ts';
import type { DemoClient, DemoReply, DemoTarget } from './demo-client.ts';
import { type DemoTask, executeCall, unexpected } from './demo-tasks.ts';

export interface DemoStep {
  readonly who: 'you' | 'model' | 'tool';
  readonly text: string;
}

export interface DemoOutcome {
  readonly client: string;
  readonly front: string;
  readonly stream: boolean;
  readonly ok: boolean;
  readonly steps: readonly DemoStep[];
  readonly problem?: string;
  readonly durationMs: number;
}

export interface RunDemoOptions {
  readonly client: DemoClient;
  readonly task: DemoTask;
  readonly target: Omit<DemoTarget, 'tools'>;
  readonly workspace: string;
  readonly nowMs: () => number;
  readonly onStep?: (step: DemoStep) => void;
}

/** One whole tool turn: question, calls, execution here, results, answer. Every expectation is checked. */
export async function runDemo(options: RunDemoOptions): Promise<DemoOutcome> {
  const { client, target, nowMs } = options;
  const startedAtMs = nowMs();
  const steps: DemoStep[] = [];
  const tell = (who: DemoStep['who'], text: string) => {
    steps.push({ who, text });
    options.onStep?.({ who, text });
  };
  const problem = await holdConversation(options, tell).then(
    () => undefined,
    (thrown: unknown) => GatewayError.from(thrown).message,
  );
  return omitUndefined({
    client: describeClient(client, target.stream),
    front: client.front,
    stream: target.stream,
    ok: problem === undefined,
    steps,
    problem,
    durationMs: nowMs() - startedAtMs,
  });
}

export function describeClient(client: DemoClient, stream: boolean): string {
  return `${client.name}, ${stream ? 'streamed' : 'in one piece'}`;
}

async function holdConversation(
  { client, task, target, workspace }: RunDemoOptions,
  tell: (who: DemoStep['who'], text: string) => void,
): Promise<void> {
  const conversation = converse(client, { ...target, tools: task.tools.map(declarationOf) });
  tell('you', task.prompt);
  const asked = await conversation.say(task.prompt);
  if (asked.text) tell('model', asked.text);
  checkCalls(asked, task);
  const results = [];
  for (const call of asked.calls) {
    tell('model', `calls ${call.name} ${call.argumentsText}`);
    const content = await executeCall(call, task, workspace);
    tell('tool', content.trimEnd());
    results.push({ callId: call.id, content });
  }
  const answered = await conversation.answer(results);
  tell('model', answered.text);
  checkAnswer(answered, task);
}

function declarationOf({ name, description, parameters }: DemoTask['tools'][number]) {
  return { name, description, parameters };
}

function checkCalls({ calls, finish }: DemoReply, task: DemoTask): void {
  const names = calls.map(({ name }) => name);
  const ids = new Set(calls.map(({ id }) => id));
  if (names.length !== task.calls.length)
    throw unexpected(`${countCalls(task.calls.length)}, not ${names.length}`);
  if (names.join() !== task.calls.join())
    throw unexpected(`calls of ${task.calls.join(' and ')}, not of ${names.join(' and ')}`);
  if (ids.has('') || ids.size < calls.length) throw unexpected('an id of its own for every call');
  if (finish !== 'tool-calls') throw unexpected(`an answer that ends with tool-calls, not with ${finish}`);
}

function countCalls(count: number): string {
  return count === 1 ? 'one tool call' : `${count} tool calls`;
}

function checkAnswer({ calls, finish, text }: DemoReply, task: DemoTask): void {
  if (calls.length > 0) throw unexpected('an answer without further calls');
  if (finish !== 'stop') throw unexpected(`an answer that ends with stop, not with ${finish}`);
  if (!task.proof.every((proof) => text.includes(proof)))
    throw unexpected("an answer that uses the tools' results");
}

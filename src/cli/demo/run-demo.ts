import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GatewayError, isJsonObject } from '../../core/index.ts';
import type { DemoCall, DemoClient, DemoReply, DemoTarget } from './demo-client.ts';

export interface DemoStep {
  readonly who: 'you' | 'model' | 'tool';
  readonly text: string;
}

export interface DemoOutcome {
  readonly client: string;
  readonly front: string;
  readonly ok: boolean;
  readonly steps: readonly DemoStep[];
  readonly problem?: string;
  readonly durationMs: number;
}

export const DEMO_FILE = 'greeting.txt';
export const DEMO_CONTENT = 'Any line can meet any other.\n';
const PROMPT = `Please read ${DEMO_FILE}`;

export const DEMO_TOOLS: DemoTarget['tools'] = [
  {
    name: 'read_file',
    description: 'Reads a text file of the workspace.',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string', description: 'Path of the file, relative to the workspace' } },
      required: ['path'],
      additionalProperties: false,
    },
  },
];

export interface RunDemoOptions {
  readonly client: DemoClient;
  readonly target: DemoTarget;
  readonly workspace: string;
  readonly nowMs: () => number;
  readonly onStep: (step: DemoStep) => void;
}

/** One whole tool turn: question, call, execution here, result, answer. Every expectation is checked. */
export async function runDemo({
  client,
  target,
  workspace,
  nowMs,
  onStep,
}: RunDemoOptions): Promise<DemoOutcome> {
  const startedAtMs = nowMs();
  const steps: DemoStep[] = [];
  const tell = (who: DemoStep['who'], text: string) => {
    steps.push({ who, text });
    onStep({ who, text });
  };
  const finish = (problem?: string): DemoOutcome => {
    const head = { client: client.name, front: client.front, steps, durationMs: nowMs() - startedAtMs };
    return problem === undefined ? { ...head, ok: true } : { ...head, ok: false, problem };
  };
  try {
    const conversation = client.start(target);
    tell('you', PROMPT);
    const asked = await conversation.say(PROMPT);
    if (asked.text) tell('model', asked.text);
    const call = onlyCall(asked);
    tell('model', `calls ${call.name} ${call.argumentsText}`);
    const content = await readForCall(call, workspace);
    tell('tool', content.trimEnd());
    const answered = await conversation.answer([{ callId: call.id, content }]);
    tell('model', answered.text);
    return finish(checkAnswer(answered));
  } catch (thrown) {
    return finish(GatewayError.from(thrown).message);
  }
}

function onlyCall(reply: DemoReply): DemoCall {
  const [call, ...others] = reply.calls;
  if (!call || others.length > 0) throw unexpected(`one tool call, not ${reply.calls.length}`);
  if (call.name !== 'read_file') throw unexpected(`a call of read_file, not of ${call.name}`);
  if (call.id === '') throw unexpected('a call with an id');
  if (reply.finish !== 'tool_calls') throw unexpected(`the finish reason tool_calls, not ${reply.finish}`);
  return call;
}

async function readForCall(call: DemoCall, workspace: string): Promise<string> {
  const parsed: unknown = JSON.parse(call.argumentsText);
  const wanted = isJsonObject(parsed) && typeof parsed.path === 'string' ? parsed.path : undefined;
  if (wanted === undefined) throw unexpected(`arguments with a path, not ${call.argumentsText}`);
  const file = path.resolve(workspace, wanted);
  if (path.relative(workspace, file).startsWith('..'))
    throw unexpected(`a path in the workspace, not ${wanted}`);
  return readFile(file, 'utf8');
}

function checkAnswer(reply: DemoReply): string | undefined {
  if (reply.calls.length > 0) return unexpected('an answer without further calls').message;
  if (reply.finish !== 'stop') return unexpected(`the finish reason stop, not ${reply.finish}`).message;
  if (!reply.text.includes(DEMO_CONTENT.trim()))
    return unexpected("an answer that uses the file's text").message;
  return undefined;
}

function unexpected(wanted: string): GatewayError {
  return new GatewayError('internal', `Expected ${wanted}.`);
}

// TASK (32, 48) and AWAIT_TASK (33). The loop of this side runs a task with the same tools and within its own bounds; where
// the operator lets the client do it, the client is asked first. The official SDK runs sub-agents as runs of their own.
import {
  GatewayError,
  type JsonObject,
  type Mode,
  omitUndefined,
  type SubTask,
} from '../../../core/index.ts';
import { isReadOnlyMode } from '../../modes.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { isClientGone } from '../client-gone.ts';
import { defineRemoteTool, type RemoteAnswer, type RemoteCall } from '../remote-tool.ts';
import { runExec } from '../run-exec.ts';

interface TaskArguments {
  readonly description: string;
  readonly prompt: string;
  readonly subagent_type: string;
  readonly model?: string;
  readonly readonly: boolean;
  readonly resume?: string;
  readonly run_in_background: boolean;
  readonly attachments: readonly string[];
}

const READ_ONLY_TYPES = /^(?:explore|ask|search|cursor-?guide|bugbot|security-?review)$/i;

export const task = defineRemoteTool<TaskArguments>('task', {
  async run(args, call) {
    if (!call.runSubTask)
      return {
        outcome: fail(
          'UNAVAILABLE',
          `"${args.description}" would be one sub-agent too far below another. Do the work yourself, step by step.`,
        ),
      };
    const isReadOnly = args.readonly || READ_ONLY_TYPES.test(args.subagent_type) || isReadOnlyMode(call.mode);
    const byClient = await askClientAgent({ ...args, readonly: isReadOnly }, call);
    return byClient ?? { outcome: await runHere(args, isReadOnly, { ...call, runSubTask: call.runSubTask }) };
  },
});

/** Undefined when the client does not run sub-agents, or is not meant to. */
async function askClientAgent(given: TaskArguments, call: RemoteCall): Promise<RemoteAnswer | undefined> {
  const { unknownExecs, options } = call.session;
  if (!options.clientSubAgents || unknownExecs.has('sub-agent')) return undefined;
  const args = { ...given, model: given.model ?? options.clientSubAgents.model };
  try {
    const { outcome } = await runExec(
      call,
      'sub-agent',
      omitUndefined({ ...args, attachments: [...args.attachments] }),
    );
    return { outcome };
  } catch (error) {
    if (call.signal.aborted || !(error instanceof GatewayError) || isClientGone(error)) throw error;
    unknownExecs.add('sub-agent');
    return undefined;
  }
}

/** Names by which clients say: the model of the run. */
const SAME_MODEL: ReadonlySet<string> = new Set(['', 'inherit', 'default', 'auto']);

function ownModel(name: string | undefined): string | undefined {
  return name === undefined || SAME_MODEL.has(name.toLowerCase()) ? undefined : name;
}

type NestingCall = RemoteCall & Required<Pick<RemoteCall, 'runSubTask'>>;

async function runHere(args: TaskArguments, isReadOnly: boolean, call: NestingCall): Promise<ToolOutcome> {
  const custom = call.session.port.requestContext?.customSubagents.find(
    (one) => one.name === args.subagent_type,
  );
  const started = call.session.nowMs();
  const files = args.attachments.map((file) => call.session.folder.absolute(file));
  const subTask: SubTask = omitUndefined({
    prompt: files.length === 0 ? args.prompt : `${args.prompt}\n\nFiles to look at:\n${files.join('\n')}`,
    description: args.description,
    model: ownModel(args.model) ?? ownModel(custom?.model),
    mode: isReadOnly ? readOnlyMode(call.mode) : undefined,
    kind: args.subagent_type,
    systemPrompt: custom?.prompt || undefined,
  });
  const result = await call.runSubTask(subTask, call.signal);
  const data: JsonObject = { is_background: false };
  const attachments = { duration_ms: call.session.nowMs() - started };
  if (result.isError === true)
    return fail('FAILED', `The sub-agent for "${args.description}" did not finish: ${result.text}`, {
      data,
      attachments,
    });
  return succeed(result.text === '' ? '(The sub-agent ended without words.)' : result.text, {
    data,
    attachments,
  });
}

function readOnlyMode(mode: Mode): Mode {
  return isReadOnlyMode(mode) ? mode : 'search';
}

interface AwaitTaskArguments {
  readonly ids: readonly string[];
  readonly timeout_ms: number;
}

/** For agents that the client runs in the background; it is not offered, as clients that do so are not known. */
export const awaitTask = defineRemoteTool<AwaitTaskArguments>('await_task', {
  isListed: () => false,
  async run({ ids, timeout_ms }, call) {
    const outcomes: ToolOutcome[] = [];
    for (const id of new Set(ids))
      outcomes.push((await runExec(call, 'sub-agent-await', { ids: [id], timeout_ms })).outcome);
    const [first] = outcomes;
    if (first && outcomes.length === 1) return { outcome: first };
    const lines = outcomes.map((outcome) => (outcome.ok ? outcome.content : outcome.error.message));
    return { outcome: succeed(lines.join('\n\n')) };
  },
});

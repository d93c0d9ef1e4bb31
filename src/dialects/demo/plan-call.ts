import type { JsonObject, JsonValue } from '../../core/index.ts';
import { type ArgumentContext, buildArguments, type Slot } from './build-arguments.ts';
import { type CallableTool, findToolByName, findTools, jobsOf, type ToolJob } from './find-tool.ts';
import { describeIntent, type ToolIntent } from './intent.ts';
import { command, patchSlots, slotsFor } from './intent-slots.ts';
import { patchFor } from './patch-text.ts';
import { asObject, createInstance } from './schema-instance.ts';
import { shellCommandFor } from './shell-command.ts';

/** A call that is ready to be made. */
export interface PlannedCall {
  readonly tool: CallableTool;
  readonly argumentsText: string;
  /** The phrase for what it does. */
  readonly purpose: string;
}

export interface PlanContext {
  readonly tools: readonly CallableTool[];
  readonly words: readonly string[];
  readonly workingDirectory?: string | undefined;
}

type Attempt = (intent: ToolIntent, context: PlanContext) => PlannedCall | undefined;

/** The call that does what is wished, with a shell as stand-in where no tool of the kind is declared. */
export function planCall(intent: ToolIntent, context: PlanContext): PlannedCall | undefined {
  if (intent.kind === 'call') return planNamed(intent, context);
  const attempts: readonly Attempt[] =
    intent.kind === 'edit'
      ? [planDirect, planShell, planPatch]
      : [planDirect, planPatch, planShell, planListByGlob];
  for (const attempt of attempts) {
    const call = attempt(intent, context);
    if (call) return call;
  }
  return undefined;
}

/** A call of one given tool: with the wish's values if they fit it, else with whatever its schema allows. */
export function planForced(
  tool: CallableTool,
  intents: readonly ToolIntent[],
  context: PlanContext,
): PlannedCall {
  for (const intent of intents) {
    const call = planCall(intent, { ...context, tools: [tool] });
    if (call) return call;
  }
  const purpose = `call ${tool.name}`;
  if (tool.kind === 'custom') {
    const text = context.words.join(' ') || 'demo';
    const patch = jobsOf(tool.name).includes('patch')
      ? patchFor({ kind: 'write', path: 'demo.txt', content: text })
      : undefined;
    return { tool, argumentsText: patch ?? text, purpose };
  }
  const root = tool.parameters ?? {};
  return {
    tool,
    argumentsText: JSON.stringify(asObject(createInstance(root, { root, words: context.words }))),
    purpose,
  };
}

const planDirect: Attempt = (intent, context) => {
  if (intent.kind === 'call') return undefined;
  for (const tool of findTools(intent.kind, context.tools, intent.toolHint)) {
    if (tool.kind === 'custom') {
      // A custom shell takes the command itself as its text.
      if (intent.kind === 'run')
        return { tool, argumentsText: commandText(tool, intent.command), purpose: describeIntent(intent) };
      continue;
    }
    for (const slots of slotsFor(intent)) {
      const call = fitTool(tool, slots, describeIntent(intent), context);
      if (call) return call;
    }
  }
  return undefined;
};

const planPatch: Attempt = (intent, context) => {
  const patch = patchFor(intent);
  return patch === undefined ? undefined : planText('patch', patch, patchSlots(patch), intent, context);
};

const planShell: Attempt = (intent, context) => {
  const text = shellCommandFor(intent);
  return text === undefined ? undefined : planText('run', text, [command(text)], intent, context);
};

/** Where there is neither a list tool nor a shell, a glob for everything comes close. */
const planListByGlob: Attempt = (intent, context) => {
  if (intent.kind !== 'list') return undefined;
  const glob = intent.path === '.' ? '*' : `${intent.path.replace(/\/$/, '')}/*`;
  return planDirect({ kind: 'find', glob }, context);
};

function planText(
  job: ToolJob,
  text: string,
  slots: readonly Slot[],
  intent: ToolIntent,
  context: PlanContext,
): PlannedCall | undefined {
  const purpose = describeIntent(intent);
  for (const tool of findTools(job, context.tools, intent.toolHint)) {
    if (tool.kind === 'custom') {
      return { tool, argumentsText: job === 'run' ? commandText(tool, text) : text, purpose };
    }
    const call = fitTool(tool, slots, purpose, context);
    if (call) return call;
  }
  return undefined;
}

/**
 * A command as the text of a custom tool. Codex gives its newest models one tool that takes JavaScript, from which the
 * shell is reached as `tools.exec_command`; any other custom shell takes the command itself.
 */
function commandText(tool: CallableTool, command: string): string {
  const takesScript =
    /\bJavaScript\b/i.test(tool.description ?? '') && /\btools\./.test(tool.description ?? '');
  return takesScript ? `text(await tools.exec_command(${JSON.stringify({ cmd: command })}));` : command;
}

function planNamed(
  intent: Extract<ToolIntent, { kind: 'call' }>,
  context: PlanContext,
): PlannedCall | undefined {
  const tool = findToolByName(intent.tool, context.tools);
  if (!tool) return undefined;
  const purpose = describeIntent(intent);
  if (tool.kind === 'custom') {
    const text = typeof intent.input === 'string' ? intent.input : customText(intent.input);
    return { tool, argumentsText: text, purpose };
  }
  if (typeof intent.input !== 'string') {
    const isBare = Object.keys(intent.input).length === 0;
    return isBare
      ? planForced(tool, [], context)
      : { tool, argumentsText: JSON.stringify(intent.input), purpose };
  }
  // "call bash with ls": one plain value, which the tool's own kind gives its place.
  const value = intent.input;
  const guesses: readonly ToolIntent[] = [
    ...(jobsOf(tool.name).includes('run') ? [{ kind: 'run', command: value } as const] : []),
    { kind: 'read', path: value },
    { kind: 'search', pattern: value },
    { kind: 'fetch', url: value },
  ];
  return planForced(tool, guesses, { ...context, words: [value] });
}

function customText(input: JsonObject): string {
  const values = Object.values(input);
  const only: JsonValue | undefined = values.length === 1 ? values[0] : undefined;
  return typeof only === 'string' ? only : JSON.stringify(input);
}

function fitTool(
  tool: CallableTool,
  slots: readonly Slot[],
  purpose: string,
  context: PlanContext,
): PlannedCall | undefined {
  if (tool.kind === 'custom') return undefined;
  const argumentContext: ArgumentContext = {
    purpose,
    words: context.words,
    workingDirectory: context.workingDirectory,
    toolDescription: tool.description,
  };
  const built = buildArguments(tool.parameters, slots, argumentContext);
  return built && { tool, argumentsText: JSON.stringify(built), purpose };
}

// What a client says about where it works (agent.v1 RequestContext), as the loop's prompt wants to know it.
import { type AgentRule, omitUndefined, type Surroundings } from '../../../core/index.ts';
import type { SystemPromptSpec } from '../../../gen/agent/v1/model_pb.ts';
import type { RequestContext } from '../../../gen/agent/v1/request_context_pb.ts';
import type { CursorRule } from '../../../gen/agent/v1/rules_pb.ts';

export function decodeSurroundings(context: RequestContext, excludesWorkspace = false): Surroundings {
  const { env } = context;
  const rules = [...context.rules, ...context.nonFileRules];
  const always = rules.flatMap(readStandingRule);
  if (context.cloudRule) always.push({ name: 'rule', text: context.cloudRule });
  if (context.hooksAdditionalContext) always.push({ name: 'hooks', text: context.hooksAdditionalContext });
  const onDemand = [...rules.flatMap(readRuleOnDemand), ...readSkills(context), ...readSubagents(context)];
  const instructions = context.mcpInstructions.map(
    ({ serverName, serverIdentifier, instructions: text }) => ({
      name: serverName || serverIdentifier,
      text,
    }),
  );
  return omitUndefined({
    workspaces: excludesWorkspace || !env || env.workspacePaths.length === 0 ? undefined : env.workspacePaths,
    os: env?.osVersion || undefined,
    shell: env?.shell || undefined,
    timeZone: env?.timeZone || undefined,
    rules: always.length === 0 ? undefined : always,
    onDemand: onDemand.length === 0 ? undefined : onDemand,
    instructions: instructions.length === 0 ? undefined : instructions,
  });
}

export function decodePromptSpec(
  specs: readonly (SystemPromptSpec | undefined)[],
  customPrompt: string | undefined,
): { readonly replace?: string; readonly append?: string } | undefined {
  let replace: string | undefined;
  const append: string[] = [];
  for (const spec of specs) {
    if (spec?.spec.case === 'replace') replace ??= spec.spec.value;
    if (spec?.spec.case === 'append' && spec.spec.value !== '') append.push(spec.spec.value);
  }
  replace ??= customPrompt || undefined; // the older field, which knows no other meaning
  if (replace === undefined && append.length === 0) return undefined;
  return omitUndefined({ replace, append: append.length === 0 ? undefined : append.join('\n\n') });
}

/** Rules that hold always. One that a user attaches by hand comes with the message that it is attached to. */
function readStandingRule({ fullPath, content, type }: CursorRule): AgentRule[] {
  const kind = type?.type;
  if (kind?.case !== undefined && kind.case !== 'global') return [];
  return content === '' ? [] : [{ name: fullPath || 'rule', text: content }];
}

function readRuleOnDemand({ fullPath, content, type }: CursorRule): AgentRule[] {
  const kind = type?.type;
  const name = fullPath || 'rule';
  // Without a file the model could not read it up.
  const where = fullPath === '' ? content : `Read ${fullPath} for it.`;
  if (kind?.case === 'fileGlobbed') {
    return [{ name, text: `Holds for files matching ${kind.value.globs.join(', ')}. ${where}` }];
  }
  if (kind?.case === 'agentFetched') return [{ name, text: `${kind.value.description} ${where}`.trim() }];
  return [];
}

function readSkills(context: RequestContext): AgentRule[] {
  const skills = context.agentSkills
    .filter(({ disableModelInvocation }) => !disableModelInvocation)
    .map(({ fullPath, description }) => ({
      name: fullPath,
      text: `Skill: ${description} Read ${fullPath} for it.`,
    }));
  const listed = (context.skillOptions?.skillDescriptors ?? [])
    .filter(({ enabled }) => enabled)
    .map(({ name, description, readmeFilePath, folderPath }) => ({
      name,
      text: `Skill: ${description} Read ${readmeFilePath || folderPath} for it.`,
    }));
  return [...skills, ...listed];
}

function readSubagents(context: RequestContext): AgentRule[] {
  return context.customSubagents.map(({ name, description }) => ({
    name,
    text: `Sub-agent: ${description}`,
  }));
}

/** Added below the prompt of a run that another run started. */
const GENERAL = `You were started by another agent for one task. Nobody can answer questions while you work: decide sensibly and say what you assumed.
Your last message is all that the other agent will see. Put the whole result into it: what you did, what you found, with paths and exact values.`;

const EXPLORE = `${GENERAL}
Your task is to explore: read and search as widely as the task needs, change nothing, and report the findings with \`path:line\`.`;

/** Kinds that have a prompt of their own; every other kind is general. */
export const SUB_TASK_PROMPTS: ReadonlyMap<string, string> = new Map([
  ['explore', EXPLORE],
  ['general', GENERAL],
]);

export function subTaskPrompt(kind: string | undefined): string {
  return SUB_TASK_PROMPTS.get(kind?.toLowerCase() ?? '') ?? GENERAL;
}

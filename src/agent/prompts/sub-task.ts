/** Added below the prompt of a run that another run started. */
const GENERAL = `You were started by another agent for one task. Nobody can answer questions while you work: decide sensibly and say what you assumed.
Your last message is all that the other agent will see. Put the whole result into it: what you did, what you found, with paths and exact values.`;

const EXPLORE = `${GENERAL}
Your task is to explore: read and search as widely as the task needs, change nothing, and report the findings with \`path:line\`.`;

/** Only `explore` has a prompt of its own; every other kind is general. */
export function subTaskPrompt(kind: string | undefined): string {
  return kind?.toLowerCase() === 'explore' ? EXPLORE : GENERAL;
}

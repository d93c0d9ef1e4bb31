// TASK_V2 (48) as models know it today. Arguments of Cursor's published prompts and of `agent.v1.TaskArgs`; what
// `aiserver.v1.TaskV2Params` has no slot for (resume, background, read-only) is taken where a client sends it.
import { z } from 'zod';
import { isJsonObject, omitUndefined } from '../../../core/index.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { runSubAgent } from './run-sub-agent.ts';

const args = toolArguments(
  {
    description: z.string().min(1).max(200).describe('What it is about, in three to five words.'),
    prompt: z
      .string()
      .min(1)
      .describe('The whole task; the sub-agent sees nothing else of this conversation.'),
    subagent_type: z
      .string()
      .default('generalPurpose')
      .describe('generalPurpose, explore (looks only) or shell.'),
    model: z.string().optional().describe('Model to use, if not the present one.'),
    readonly: z.boolean().default(false).describe('Whether it may only look.'),
    resume: z.string().optional().describe('Id of an earlier agent that should go on.'),
    run_in_background: z.boolean().default(false).describe('Whether to return at once with an id.'),
    attachments: z.array(z.string()).default([]).describe('Files it should have before it.'),
  },
  {
    aliases: {
      description: ['name', 'title'],
      prompt: ['task', 'task_description', 'instructions'],
      subagent_type: ['agent_type', 'type', 'subagentType'],
      readonly: ['read_only', 'is_readonly'],
      run_in_background: ['async', 'is_background', 'background'],
      attachments: ['file_attachments'],
    },
    ignored: ['name', 'agent_id', 'responding_to_message_ids', 'environment', 'machine', 'mode'],
    rewrite: (given) => {
      // `agent.v1.SubagentType` is a message; the one field that is set names the type.
      if (isJsonObject(given.subagent_type))
        given.subagent_type = Object.keys(given.subagent_type)[0] ?? 'generalPurpose';
      // TaskMode 2 is plan: it looks and does not change.
      if (given.mode === 2 || given.mode === 'TASK_MODE_PLAN' || given.mode === 'plan') given.readonly = true;
      const words = given.prompt ?? given.task ?? given.instructions;
      if (given.description === undefined && given.name === undefined && typeof words === 'string')
        given.description = words.slice(0, 60);
    },
  },
);

const READ_ONLY_TYPES = /^(?:explore|ask|search|cursor-?guide|bugbot|security-?review)$/i;

export const task = defineTool({
  number: 48,
  name: 'task',
  description:
    'Give a piece of work to a separate agent with a fresh memory: broad searches, or parts that can be done beside each other. Its prompt must hold everything it needs and say what to report. You get only its final words. At most four at once; with run_in_background you get an id for await_task.',
  args,
  risk: 'interact',
  modes: ['agent', 'chat', 'search'],
  parallel: 'few',
  status: 'local',
  // Starting it touches nothing; each call the sub-agent makes is judged on its own.
  touches: () => [],
  preview: (given) => given.prompt,
  run: (given, context) =>
    runSubAgent(
      {
        title: given.description,
        prompt: given.prompt,
        type: given.subagent_type,
        isReadOnly: given.readonly || READ_ONLY_TYPES.test(given.subagent_type),
        attachments: given.attachments.map((file) => context.workspace.absolute(file)),
        writableFolders: [],
        ...omitUndefined({ model: given.model, resume: given.resume }),
      },
      given.run_in_background,
      context,
    ),
});

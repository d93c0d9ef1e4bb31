// TASK (32), the older form: `aiserver.v1.TaskParams`.
import { z } from 'zod';
import { omitUndefined } from '../../../core/index.ts';
import { defineTool } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { runSubAgent } from './run-sub-agent.ts';

const args = toolArguments(
  {
    task_description: z.string().min(1).describe('The whole task; the sub-agent sees nothing else.'),
    task_title: z.string().max(200).optional().describe('What it is about, in a few words.'),
    async: z.boolean().default(false).describe('Whether to return at once with an id for await_task.'),
    allowed_write_directories: z.array(z.string()).default([]).describe('The only folders it may write to.'),
    model_override: z.string().optional().describe('Model to use, if not the present one.'),
  },
  {
    aliases: {
      task_description: ['prompt', 'task', 'description', 'instructions'],
      task_title: ['title', 'name'],
      async: ['run_in_background', 'is_background'],
      model_override: ['model'],
    },
    ignored: ['max_mode_override', 'default_expanded_while_running', 'subagent_type'],
    rewrite: (given) => {
      // Beside a prompt, `description` is the title of the newer form.
      if (given.prompt !== undefined && given.description !== undefined) {
        given.task_title ??= given.description;
        delete given.description;
      }
    },
  },
);

export const taskV1 = defineTool({
  number: 32,
  name: 'task_v1',
  description: 'The older form of task: give a piece of work to a separate agent and get its final words.',
  args,
  risk: 'interact',
  modes: ['agent', 'chat', 'search'],
  parallel: 'few',
  status: 'retired',
  touches: () => [],
  preview: (given) => given.task_description,
  run: (given, context) =>
    runSubAgent(
      {
        title: given.task_title ?? given.task_description.slice(0, 60),
        prompt: given.task_description,
        type: 'generalPurpose',
        isReadOnly: false,
        attachments: [],
        writableFolders: given.allowed_write_directories.map((folder) => context.workspace.absolute(folder)),
        ...omitUndefined({ model: given.model_override }),
      },
      given.async,
      context,
    ),
});

import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { type SubAgentTask, subAgentPort } from '../planning/sub-agent-port.ts';

const args = toolArguments(
  { query: z.string().min(1).describe('The question about the code base, in full sentences.') },
  { aliases: { query: ['question', 'prompt', 'task', 'search_term'] } },
);

export const deepSearch = defineTool({
  number: 27,
  name: 'deep_search',
  description:
    'Hand a question about the code base to a separate agent that searches and reads on its own and comes back with an answer and the places it rests on. Use it for broad questions that would take many searches; use grep or codebase_search for one.',
  args,
  risk: 'read',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: (_given, context) => [{ type: 'path', path: context.workspace.root, access: 'read' }],
  async run(given, context) {
    const agents = context.resources.get(subAgentPort);
    if (!agents) {
      return fail(
        'UNAVAILABLE',
        'deep_search needs a model to think with and none is connected to this tool runtime. Use codebase_search and grep instead.',
      );
    }
    const started = context.nowMs();
    const answer = await agents.run(taskFor(given.query), context);
    const attachments = { duration_ms: context.nowMs() - started };
    const data = { success: answer.isSuccess, result: answer.text };
    return answer.isSuccess
      ? succeed(answer.text, { data, attachments })
      : fail('FAILED', `The search agent did not finish: ${answer.text}`, { data, attachments });
  },
});

function taskFor(query: string): SubAgentTask {
  return {
    title: 'Deep search',
    prompt: `Answer this question about the code in the workspace. Search and read as much as you need; change nothing. Finish with the answer and the files and lines it rests on.\n\n${query}`,
    type: 'explore',
    isReadOnly: true,
    attachments: [],
    writableFolders: [],
  };
}

// CREATE_DIAGRAM (28): `content` is Mermaid; the original's result holds only an error, when it does not parse.
import { z } from 'zod';
import { defineTool, MODES } from '../../tool.ts';
import { toolArguments } from '../../tool-arguments.ts';
import { fail, succeed } from '../../tool-outcome.ts';
import { settle } from '../files/file-fault.ts';
import { fileSlug, writeStateFile } from '../planning/state-file.ts';
import { checkMermaid } from './check-mermaid.ts';

const args = toolArguments(
  {
    content: z.string().min(1).max(100_000).describe('The diagram in Mermaid.'),
    title: z.string().max(200).optional().describe('What it shows, in a few words.'),
  },
  {
    aliases: { content: ['diagram', 'mermaid', 'code', 'source'], title: ['name'] },
    rewrite: (given) => {
      // Models like to put it into a code block.
      for (const [key, value] of Object.entries(given))
        if (typeof value === 'string')
          given[key] = value.replace(/^\s*```(?:mermaid)?[ \t]*\r?\n([\s\S]*?)\r?\n?```\s*$/, '$1');
    },
  },
);

export const createDiagram = defineTool({
  number: 28,
  name: 'create_diagram',
  description:
    'Draw a diagram in Mermaid (flowchart, sequenceDiagram, classDiagram, stateDiagram-v2, erDiagram, gantt …) for the user to look at. The text is checked for common mistakes. Put labels with brackets or punctuation into double quotes.',
  args,
  risk: 'none',
  modes: MODES,
  parallel: 'any',
  status: 'local',
  touches: () => [], // its file lies in the runtime's own folder
  run: (given, context) =>
    settle(context, async () => {
      const problem = checkMermaid(given.content);
      if (problem) {
        const error = `Line ${problem.line}: ${problem.message}.`;
        return fail('EINVAL', `The diagram has a mistake. ${error} Mend it and call again.`, {
          data: { error },
        });
      }
      const name = `${fileSlug(given.title ?? 'diagram')}-${fileSlug(context.newId(''))}.mmd`;
      const file = await writeStateFile(context, 'diagrams', name, `${given.content.trim()}\n`);
      return succeed(`The diagram is kept in ${file}.\n\n\`\`\`mermaid\n${given.content.trim()}\n\`\`\``, {
        attachments: { file_path: file },
        data: { path: file },
      });
    }),
});

import { stringify } from 'yaml';
import type { ToolContext } from '../../tool-context.ts';
import { fileSlug, writeStateFile } from './state-file.ts';
import type { TodoItem } from './todo-list.ts';

export interface Plan {
  readonly name: string;
  readonly overview: string;
  readonly markdown: string;
  readonly todos: readonly TodoItem[];
}

/** Markdown with front matter that holds the name, the overview and the to-dos, as Cursor's plan files do. */
export function formatPlan(plan: Plan): string {
  const todos = plan.todos.map(({ id, content, status }) => ({ id, content, status }));
  const head = stringify({ name: plan.name, overview: plan.overview, todos }, { lineWidth: 0 });
  return `---\n${head}---\n\n${plan.markdown.trim()}\n`;
}

/** Each plan is a new file; `fileId` keeps plans of one name apart. */
export function writePlan(context: ToolContext, plan: Plan, fileId: string): Promise<string> {
  return writeStateFile(
    context,
    'plans',
    `${fileSlug(plan.name)}-${fileSlug(fileId)}.plan.md`,
    formatPlan(plan),
  );
}

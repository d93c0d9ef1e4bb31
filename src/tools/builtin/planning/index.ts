import type { Tool } from '../../tool.ts';
import { aiAttribution } from './ai-attribution.ts';
import { askQuestion } from './ask-question.ts';
import { awaitTask } from './await-task.ts';
import { backgroundComposerFollowup } from './background-composer-followup.ts';
import { connectScm } from './connect-scm.ts';
import { createPlan } from './create-plan.ts';
import { fetchRules } from './fetch-rules.ts';
import { knowledgeBase } from './knowledge-base.ts';
import { reflect } from './reflect.ts';
import { reportBugfixResults } from './report-bugfix-results.ts';
import { sendToUser } from './send-to-user.ts';
import { switchMode } from './switch-mode.ts';
import { task } from './task.ts';
import { taskV1 } from './task-v1.ts';
import { todoRead } from './todo-read.ts';
import { todoWrite } from './todo-write.ts';

export const PLANNING_TOOLS: readonly Tool[] = [
  fetchRules,
  backgroundComposerFollowup,
  knowledgeBase,
  taskV1,
  awaitTask,
  todoRead,
  todoWrite,
  createPlan,
  task,
  askQuestion,
  switchMode,
  reportBugfixResults,
  aiAttribution,
  reflect,
  sendToUser,
  connectScm,
];

export { type ModePort, modePort } from './mode-port.ts';
export { type SubAgentPort, type SubAgentReport, type SubAgentTask, subAgentPort } from './sub-agent-port.ts';
export { TodoList, type TodoReminder, todoList } from './todo-list.ts';
export {
  type Answer,
  type Answers,
  type Confirmation,
  type PlanReview,
  type ProposedPlan,
  type Question,
  type QuestionOption,
  type UserPort,
  userPort,
} from './user-port.ts';

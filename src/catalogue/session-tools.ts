// Plans, todos, questions, modes, subagents and the other tools that steer the session itself.
import { type ClientTool, defineClientTool } from './client-tool.ts';

export const SESSION_TOOLS: readonly ClientTool[] = [
  defineClientTool(16, 'FETCH_RULES', { names: ['fetch_rules'], isRetired: true }),
  defineClientTool(24, 'BACKGROUND_COMPOSER_FOLLOWUP', { names: ['background_composer_followup'] }),
  defineClientTool(25, 'KNOWLEDGE_BASE', { names: ['update_memory', 'knowledge_base'] }),
  defineClientTool(28, 'CREATE_DIAGRAM', { names: ['create_diagram'] }),
  defineClientTool(32, 'TASK', {
    names: ['task'],
    agent: ['task_tool_call', 19],
    exec: [['subagent_args', 28]],
  }),
  defineClientTool(33, 'AWAIT_TASK', {
    names: ['await_task'],
    agent: ['await_tool_call', 42],
    exec: [['subagent_await_args', 37]],
    isRetired: true,
  }),
  defineClientTool(34, 'TODO_READ', {
    names: ['todo_read', 'read_todos', 'TodoRead'],
    agent: ['read_todos_tool_call', 10],
  }),
  defineClientTool(35, 'TODO_WRITE', {
    names: ['todo_write', 'TodoWrite', 'update_todos'],
    agent: ['update_todos_tool_call', 9],
  }),
  // Answered by an InteractionQuery, as are 51, 52 and 60.
  defineClientTool(43, 'CREATE_PLAN', {
    names: ['create_plan', 'CreatePlan'],
    agent: ['create_plan_tool_call', 17],
  }),
  defineClientTool(46, 'READ_PROJECT', { names: ['read_project'] }),
  defineClientTool(47, 'UPDATE_PROJECT', { names: ['update_project'] }),
  defineClientTool(48, 'TASK_V2', {
    names: ['Task', 'task_v2', 'Subagent'],
    agent: ['task_tool_call', 19],
    exec: [['subagent_args', 28]],
  }),
  defineClientTool(51, 'ASK_QUESTION', {
    names: ['ask_question', 'AskQuestion'],
    agent: ['ask_question_tool_call', 23],
  }),
  defineClientTool(52, 'SWITCH_MODE', {
    names: ['switch_mode', 'SwitchMode'],
    agent: ['switch_mode_tool_call', 25],
  }),
  defineClientTool(58, 'REPORT_BUGFIX_RESULTS', {
    names: ['report_bugfix_results'],
    agent: ['report_bugfix_results_tool_call', 38],
  }),
  defineClientTool(59, 'AI_ATTRIBUTION', {
    names: ['ai_attribution'],
    agent: ['ai_attribution_tool_call', 39],
    lacks: 'params',
  }),
  defineClientTool(61, 'REFLECT', { names: ['reflect'], agent: ['reflect_tool_call', 32], lacks: 'both' }),
  // 65 and 66 are known from a single client build.
  defineClientTool(65, 'SEND_TO_USER', {
    names: ['send_to_user'],
    agent: ['send_to_user_tool_call', 58],
    lacks: 'both',
  }),
  defineClientTool(66, 'CONNECT_SCM', {
    names: ['connect_scm'],
    agent: ['connect_scm_tool_call', 68],
    lacks: 'both',
  }),
];

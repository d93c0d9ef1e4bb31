// The shell, the screen and other things outside the editor.
import { type ClientTool, defineClientTool } from './client-tool.ts';

export const SHELL_TOOLS: readonly ClientTool[] = [
  defineClientTool(15, 'RUN_TERMINAL_COMMAND_V2', {
    names: ['run_terminal_cmd', 'run_terminal_command', 'Shell', 'bash'],
    agent: ['shell_tool_call', 1],
    exec: [
      ['shell_args', 2],
      ['shell_stream_args', 14],
      ['background_shell_spawn_args', 16],
    ],
  }),
  defineClientTool(54, 'COMPUTER_USE', {
    names: ['computer_use'],
    agent: ['computer_use_tool_call', 30],
    exec: [['computer_use_args', 22]],
  }),
  defineClientTool(55, 'WRITE_SHELL_STDIN', {
    names: ['write_shell_stdin'],
    agent: ['write_shell_stdin_tool_call', 31],
    exec: [['write_shell_stdin_args', 23]],
  }),
  defineClientTool(56, 'RECORD_SCREEN', {
    names: ['record_screen'],
    agent: ['record_screen_tool_call', 29],
    exec: [['record_screen_args', 21]],
  }),
  // Polls a background shell (how is not known) or a subagent.
  defineClientTool(62, 'AWAIT', {
    names: ['await', 'Await'],
    agent: ['await_tool_call', 42],
    exec: [['subagent_await_args', 37]],
    lacks: 'both',
  }),
];

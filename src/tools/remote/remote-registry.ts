// THE list of built-in tools that a client at the far end can carry out; one line a tool.
import { deleteFile } from './files/delete-file.ts';
import { editNotebook } from './files/edit-notebook.ts';
import { applyPatch, editFile, searchReplace, write } from './files/edit-programs.ts';
import { readFile } from './files/read-file.ts';
import { readLints } from './files/read-lints.ts';
import {
  callMcpTool,
  getMcpTools,
  listMcpResources,
  mcp,
  mcpAuth,
  readMcpResource,
} from './mcp/mcp-programs.ts';
import { askQuestion } from './people/ask-question.ts';
import { createPlan } from './people/create-plan.ts';
import { switchMode } from './people/switch-mode.ts';
import { awaitTask, task } from './people/task.ts';
import { todoRead, todoWrite } from './people/todos.ts';
import type { RemoteTool } from './remote-tool.ts';
import { globFileSearch, grep, listDir } from './search/search-programs.ts';
import { awaitJob } from './shell/await.ts';
import { runTerminalCommand } from './shell/run-terminal-command.ts';
import { writeShellStdin } from './shell/write-shell-stdin.ts';
import { computerUse, recordScreen } from './web/screen-programs.ts';
import { generateImage, webFetch, webSearch } from './web/web-programs.ts';

export const REMOTE_TOOLS: readonly RemoteTool[] = [
  readFile,
  write,
  searchReplace,
  applyPatch,
  editNotebook,
  editFile,
  deleteFile,
  listDir,
  grep,
  globFileSearch,
  readLints,
  runTerminalCommand,
  writeShellStdin,
  awaitJob,
  todoRead,
  todoWrite,
  createPlan,
  askQuestion,
  switchMode,
  task,
  awaitTask,
  webSearch,
  webFetch,
  generateImage,
  computerUse,
  recordScreen,
  mcp,
  callMcpTool,
  getMcpTools,
  listMcpResources,
  readMcpResource,
  mcpAuth,
];

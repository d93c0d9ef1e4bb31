import type { Tool } from '../../tool.ts';
import { applyAgentDiff } from './apply-agent-diff.ts';
import { applyPatch } from './apply-patch.ts';
import { deleteFile } from './delete-file.ts';
import { editFile } from './edit-file.ts';
import { editNotebook } from './edit-notebook.ts';
import { readFile } from './read-file.ts';
import { readProject } from './read-project.ts';
import { reapply } from './reapply.ts';
import { searchReplace } from './search-replace.ts';
import { updateProject } from './update-project.ts';
import { write } from './write.ts';

export { chooseEditTool } from './choose-edit-tool.ts';

export const FILES_TOOLS: readonly Tool[] = [
  readFile,
  write,
  searchReplace,
  applyPatch,
  editNotebook,
  editFile,
  deleteFile,
  reapply,
  applyAgentDiff,
  readProject,
  updateProject,
];

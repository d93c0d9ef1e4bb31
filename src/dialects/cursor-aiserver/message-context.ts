// aiserver.v1 `ConversationMessage`: everything a client attaches to what a user said, as text for the model. Field names
// are known from public reconstructions of the protobuf files; what several of them hold is not (see readable-fields.ts).
import type { Message } from '@bufbuild/protobuf';
import type {
  ConversationMessage,
  ConversationMessage_CodeChunk,
  ConversationMessage_IdeEditorsState_File,
  ConversationMessage_NotepadContext,
  ConversationMessage_RenderedDiff,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { CodeBlock, TodoItem } from '../../gen/aiserver/v1/common_pb.ts';
import type { FileDiff, GitDiff } from '../../gen/aiserver/v1/git_diff_pb.ts';
import type { EditFileResult_FileDiff, ListDirResult } from '../../gen/aiserver/v1/tool_files_pb.ts';
import { contextBlock } from './context-block.ts';
import { readableFields } from './readable-fields.ts';

type Renderers = {
  readonly [Name in keyof ConversationMessage]?: (value: NonNullable<ConversationMessage[Name]>) => string[];
};

/** The fields that become text, in the order in which the model reads them. */
export const MESSAGE_CONTEXT: Renderers = {
  attachedCodeChunks: (chunks) => chunks.map((chunk) => codeChunk('attached_code', chunk)),
  codebaseContextChunks: (blocks) => blocks.map((block) => codeBlock('codebase_search_result', block)),
  attachedFolders: (folders) => folders.map((path) => contextBlock('attached_folder', '', { path })),
  attachedFoldersNew: untold('attached_folder'),
  attachedFoldersListDirResults: (results) => results.map(listing),
  relevantFiles: (paths) => lines('relevant_files', paths),
  recentlyViewedFiles: (chunks) => chunks.map((chunk) => codeChunk('recently_viewed_file', chunk)),
  recentLocationsHistory: (places) =>
    lines(
      'recent_locations',
      places.map(({ relativeWorkspacePath, lineNumber }) => `${relativeWorkspacePath}:${lineNumber}`),
    ),
  ideEditorsState: ({ visibleFiles, recentlyViewedFiles, visibleFilePaths, recentlyViewedFilePaths }) => [
    ...lines('open_files', visibleFiles.length > 0 ? visibleFiles.map(editorFile) : visibleFilePaths),
    ...lines(
      'recently_viewed_files',
      recentlyViewedFiles.length > 0 ? recentlyViewedFiles.map(editorFile) : recentlyViewedFilePaths,
    ),
  ],
  currentFileLocationData: (data) => untold('current_location')([data]),
  gitStatusRaw: (status) => text('git_status', status),
  gitDiffs: (diffs) => diffs.flatMap(gitDiff),
  gitContext: (context) => untold('git_context')([context]),
  commits: untold('commit'),
  pullRequests: untold('pull_request'),
  humanChanges: (changes) =>
    changes.map(({ relativeWorkspacePath: path, renderedDiffs }) =>
      contextBlock('change_by_user', renderedDiffs.map(renderedDiff).join('\n'), { path }),
    ),
  diffsSinceLastApply: (diffs) =>
    diffs.map(({ relativeWorkspacePath: path, diff, isAccepted, isRejected }) =>
      contextBlock('diff_since_last_edit', diff ? editDiff(diff) : '', {
        path,
        user: isRejected ? 'rejected' : isAccepted ? 'accepted' : undefined,
      }),
    ),
  deletedFiles: (files) =>
    lines(
      'deleted_files',
      files.map((file) => file.relativeWorkspacePath),
    ),
  assistantSuggestedDiffs: untold('suggested_diff'),
  approximateLintErrors: (errors) =>
    lines(
      'lint_errors',
      errors.map(({ message, value, startLine }) => `line ${startLine}: ${message} (${value})`),
    ),
  lints: (lints) => lints.flatMap((one) => untold('lint_errors')(one.lints ? [one.lints] : [])),
  multiFileLinterErrors: untold('lint_errors'),
  editTrailContexts: (trails) =>
    lines(
      'edit_trail',
      trails.flatMap((trail) =>
        trail.editTrailSorted.map(
          ({ relativeWorkspacePath, text: edited }) => `${relativeWorkspacePath}: ${edited}`,
        ),
      ),
    ),
  interpreterResults: untold('interpreter_result'),
  consoleLogs: untold('console_log'),
  uiElementPicked: untold('picked_element'),
  lastTerminalCwd: (cwd) => text('last_terminal_cwd', cwd),
  notepads: (notepads) => notepads.map(notepad),
  knowledgeItems: (items) =>
    items.map(({ title, knowledge }) => contextBlock('knowledge', knowledge, { title })),
  documentationSelections: (docs) =>
    docs.map(({ name, docId }) => contextBlock('documentation', '', { name, id: docId })),
  docsReferences: untold('documentation'),
  webReferences: untold('web_reference'),
  aiWebSearchResults: untold('web_search_result'),
  externalLinks: untold('external_link'),
  contextPieces: untold('context'),
  capabilityContexts: untold('context'),
  summarizedComposers: (composers) =>
    composers.map(({ name, conversationSummary }) =>
      contextBlock('other_conversation', conversationSummary?.summary ?? '', { name }),
    ),
  pastChats: (chats) =>
    chats.map(({ name, agentId }) => contextBlock('past_conversation', '', { name, id: agentId })),
  cursorCommands: (commands) =>
    commands.map(({ name, content }) => contextBlock('command', content, { name })),
  subagentReturn: ({ returnValue }) =>
    returnValue.case === undefined ? [] : untold('sub_agent_result')([returnValue.value]),
  todos: (todos) => lines('todos', todos.map(todoLine)),
  planUpdate: ({ currentPlan }) => text('current_plan', currentPlan),
};

/** Read elsewhere: what was said, by whom, with which calls, and where. */
export const MESSAGE_STRUCTURE: ReadonlySet<string> = new Set<keyof ConversationMessage>([
  'text',
  'type',
  'images',
  'bubbleId',
  'toolResults',
  'conversationSummary',
  'cachedConversationSummary',
  'cursorRules',
  'thinking',
  'allThinkingBlocks',
  'unifiedMode',
  'supportedTools',
  'richText',
  'textBlobId',
  'mcpDescriptors',
  'workspaceProjectDir',
  'workspaceUris',
]);

/** The client's own bookkeeping: nothing in it is for a model. */
export const MESSAGE_BOOKKEEPING: ReadonlySet<string> = new Set<keyof ConversationMessage>([
  'isCapabilityIteration',
  'isAgentic',
  'serverBubbleId',
  'existedSubsequentTerminalCommand',
  'existedPreviousTerminalCommand',
  'attachedHumanChanges',
  'usageUuid',
  'editToolSupportsSearchAndReplace',
  'userExplicitlyAskedToGenerateCursorRules',
  'userExplicitlyAskedToAddToKnowledgeBase',
  'useWeb',
  'thinkingDurationMs',
  'isSimpleLoopingMessage',
  'checkpointCommitHash',
  'isReviewEditsFollowup',
  'requestId',
  'contextWindowStatus',
  'isPlanExecution',
  'createdAt',
  'modelInfo',
  'isQuickSearchQuery',
  'isSimulatedMsg',
  'thinkingStyle',
  'debugModeConfig',
  'stepDurationMs',
  'richTextBlobId',
  'cursorCommandsExplicitlySet',
  'pastChatsExplicitlySet',
  'simulatedMsgReason',
  'triggeringUserInfo',
  'simulatedMessageMetadata',
]);

/** May matter to a model and cannot be read: counted when it comes. */
export const MESSAGE_UNREAD: ReadonlySet<keyof ConversationMessage> = new Set<keyof ConversationMessage>([
  'userResponsesToSuggestedCodeBlocks',
  'capabilities',
  'suggestedCodeBlocks',
  'diffsForCompressingFiles',
  'diffHistories',
  'fileDiffTrajectories',
  'projectLayouts',
]);

export function renderMessageContext(
  message: ConversationMessage,
  onDrift: (kind: string) => void,
): readonly string[] {
  for (const name of MESSAGE_UNREAD) if (isPresent(message[name])) onDrift(`ConversationMessage.${name}`);
  return Object.entries(MESSAGE_CONTEXT).flatMap(([name, render]) => {
    const value = message[name as keyof ConversationMessage]; // the keys of the table are those of the message
    return isPresent(value) ? render(value as never) : []; // and so are the types of its values
  });
}

export function isPresent(value: unknown): boolean {
  if (value === undefined || value === '' || value === false) return false;
  return Array.isArray(value) ? value.length > 0 : true;
}

/** For messages that no source describes. */
export function untold(tag: string): (messages: readonly Message[]) => string[] {
  return (messages) =>
    messages.map((message) => contextBlock(tag, readableFields(message).join('\n'))).filter(hasBody);
}

export function codeChunk(tag: string, chunk: ConversationMessage_CodeChunk): string {
  const first = Math.max(1, chunk.startLineNumber);
  const range = chunk.lines.length > 0 ? `${first}-${first + chunk.lines.length - 1}` : undefined;
  return contextBlock(tag, chunk.lines.join('\n'), { path: chunk.relativeWorkspacePath, lines: range });
}

export function codeBlock(tag: string, block: CodeBlock): string {
  const body = block.overrideContents ?? (block.contents || (block.fileContents ?? ''));
  const from = block.range?.startPosition?.line;
  const to = block.range?.endPosition?.line;
  const range = from === undefined || to === undefined ? undefined : `${from}-${to}`;
  return contextBlock(tag, body, { path: block.relativeWorkspacePath, lines: range });
}

function text(tag: string, body: string): string[] {
  return body.trim() === '' ? [] : [contextBlock(tag, body)];
}

function lines(tag: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [contextBlock(tag, items.join('\n'))];
}

function hasBody(block: string): boolean {
  return !block.endsWith('/>');
}

function listing({ files, directoryRelativeWorkspacePath: path }: ListDirResult): string {
  const names = files.map(({ name, isDirectory }) => (isDirectory ? `${name}/` : name));
  return contextBlock('attached_folder', names.join('\n'), { path: path || '.' });
}

function editorFile(file: ConversationMessage_IdeEditorsState_File): string {
  const path = file.absolutePath ?? file.relativePath;
  const place = file.currentLineNumber === undefined ? '' : `, cursor on line ${file.currentLineNumber}`;
  const focus = file.isCurrentlyFocused ? ', focused' : '';
  return `${path}${focus}${place}`;
}

function notepad(pad: ConversationMessage_NotepadContext): string {
  const attached = [
    ...pad.attachedCodeChunks.map((chunk) => codeChunk('attached_code', chunk)),
    ...pad.attachedFolders.map((path) => contextBlock('attached_folder', '', { path })),
    ...pad.gitDiffs.flatMap(gitDiff),
  ];
  return contextBlock('notepad', [pad.text, ...attached].join('\n'), { name: pad.name });
}

function gitDiff({ diffs }: GitDiff): string[] {
  return diffs.map((diff) => contextBlock('git_diff', fileDiff(diff), { path: diff.to || diff.from }));
}

function fileDiff({ chunks }: FileDiff): string {
  return chunks.map(({ content, lines: body }) => [content, ...body].join('\n')).join('\n');
}

function editDiff({ chunks }: EditFileResult_FileDiff): string {
  return chunks.map(({ diffString }) => diffString).join('\n');
}

function renderedDiff(diff: ConversationMessage_RenderedDiff): string {
  return [
    `@@ line ${diff.startLineNumber} @@`,
    ...diff.beforeContextLines.map((line) => ` ${line}`),
    ...diff.removedLines.map((line) => `-${line}`),
    ...diff.addedLines.map((line) => `+${line}`),
    ...diff.afterContextLines.map((line) => ` ${line}`),
  ].join('\n');
}

function todoLine({ id, content, status }: TodoItem): string {
  const name = status.replace(/^TODO_STATUS_/, '').toLowerCase() || 'pending';
  return `- [${name}] ${content}${id === '' ? '' : ` (${id})`}`;
}

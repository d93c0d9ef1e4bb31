// aiserver.v1 `StreamUnifiedChatRequest`: what a client says about the editor beside the conversation, as text for the
// model. It belongs to the user's last message: the next request says it anew.
import type { StreamUnifiedChatRequest } from '../../gen/aiserver/v1/chat_request_pb.ts';
import type { LinterErrors } from '../../gen/aiserver/v1/common_pb.ts';
import { contextBlock } from './context-block.ts';
import { codeBlock, isPresent, renderMessageContext, untold } from './message-context.ts';

type Renderers = {
  readonly [Name in keyof StreamUnifiedChatRequest]?: (
    value: NonNullable<StreamUnifiedChatRequest[Name]>,
    onDrift: (kind: string) => void,
  ) => readonly string[];
};

export const REQUEST_CONTEXT: Renderers = {
  currentFile(file) {
    // Gateways that have no editor send a placeholder without a path.
    if (file.relativeWorkspacePath === '') return [];
    const first = Math.max(1, file.contentsStartAtLine);
    const cursor = file.cursorPosition ? file.cursorPosition.line : undefined;
    const attributes = { path: file.relativeWorkspacePath, first_line: first, cursor_line: cursor };
    return [contextBlock('current_file', file.contents, attributes)];
  },
  projectContext: (message, onDrift) => [
    ...(message.text === '' ? [] : [contextBlock('project_context', message.text)]),
    ...renderMessageContext(message, onDrift),
  ],
  usesCodebaseResults: ({ results }) =>
    results.flatMap(({ codeBlock: block }) => (block ? [codeBlock('codebase_search_result', block)] : [])),
  linterErrors: (errors) => linterBlocks([errors]),
  multiFileLinterErrors: (errors) => linterBlocks(errors),
  documentationIdentifiers: (ids) => [contextBlock('documentation', ids.join('\n'))],
  externalLinks: untold('external_link'),
  quotes: untold('quote'),
  additionalRankedContext: untold('context'),
  currentPlan: ({ name, content }) =>
    content === '' ? [] : [contextBlock('current_plan', content, { name })],
};

/** Read elsewhere. */
export const REQUEST_STRUCTURE: ReadonlySet<string> = new Set<keyof StreamUnifiedChatRequest>([
  'conversation',
  'explicitContext',
  'modelDetails',
  'isChat',
  'conversationId',
  'environmentInfo',
  'isAgentic',
  'conversationSummary',
  'supportedTools',
  'mcpTools',
  'isResume',
  'unifiedMode',
  'shouldDisableTools',
  'thinkingLevel',
  'unifiedModeName',
  'isQuickSearchQuery',
  'isSpecMode',
  'workspaceFolders',
  'customPlanningInstructions',
]);

/** Switches of Cursor's own server, its index and its bookkeeping: nothing that a run here could follow. */
export const REQUEST_BOOKKEEPING: ReadonlySet<string> = new Set<keyof StreamUnifiedChatRequest>([
  'allowLongFileScan',
  'canHandleFilenamesAfterLanguageIds',
  'useWeb',
  'compressEdits',
  'shouldCache',
  'useReferenceComposerDiffPrompt',
  'useNewCompressionScheme',
  'repositoryInfo',
  'repositoryInfoShouldQueryStaging',
  'fullConversationHeadersOnly',
  'enableYoloMode',
  'yoloPrompt',
  'useUnifiedChatPrompt',
  'useFullInputsContext',
  'allowModelFallbacks',
  'numberOfTimesShownFallbackModelWarning',
  'repositoryInfoShouldQueryProd',
  'contextBankSessionId',
  'contextBankVersion',
  'contextBankEncryptionKey',
  'repoQueryAuthToken',
  'isHeadless',
  'toolsRequiringAcceptedReturn',
  'shouldUseChatPrompt',
  'usesRules',
  'queryOnlyRepoAccess',
  'modeUsesAutoApply',
  'backgroundComposerId',
  'useGenerateRulesPrompt',
  'editToolSupportsSearchAndReplace',
  'repositoryNameIfUnindexed',
  'indexingProgress',
  'fullFileCmdKOptions',
  'indexingPhaseIfUnindexed',
  'useKnowledgeBasePrompt',
  'indexingNumFilesIfUnindexed',
  'subagentInfo',
  'supportsGitIndex',
  'isBackgroundComposer',
  'forceIsNotDev',
  'disableEditFileTimeout',
  'shouldAttachLinterErrors',
  'replyingToRequestId',
  'shouldSpeculativelyRouteGpt5',
  'forceTerminalHangingDetection',
  'forceSummarization',
  'allowServerSideSemanticSearch',
  'speculativeSummarizationEncryptionKey',
  'doesReadfileSupportImages',
  'sandboxingSupportEnabled',
  'enableTerminalFilePersistence',
  'terminalsFolder',
  'agentNotesFolder',
  'agentToolsFolder',
  'hasMcpDescriptors',
  'bestOfNGroupId',
  'tryUseBestOfNPromotion',
  'agentTranscriptsFolder',
]);

/** May matter to a model and cannot be read: counted when it comes. */
export const REQUEST_UNREAD: ReadonlySet<keyof StreamUnifiedChatRequest> = new Set<
  keyof StreamUnifiedChatRequest
>(['diffsForCompressingFiles', 'recentEdits', 'fileDiffHistories', 'projectLayouts']);

export function renderRequestContext(
  request: StreamUnifiedChatRequest,
  onDrift: (kind: string) => void,
): readonly string[] {
  for (const name of REQUEST_UNREAD) {
    if (isPresent(request[name])) onDrift(`StreamUnifiedChatRequest.${name}`);
  }
  return Object.entries(REQUEST_CONTEXT).flatMap(([name, render]) => {
    const value = request[name as keyof StreamUnifiedChatRequest]; // the keys of the table are those of the request
    return isPresent(value) ? render(value as never, onDrift) : []; // and so are the types of its values
  });
}

function linterBlocks(files: readonly LinterErrors[]): string[] {
  return files
    .filter(({ errors }) => errors.length > 0)
    .map(({ relativeWorkspacePath: path, errors }) =>
      contextBlock(
        'lint_errors',
        errors
          .map(({ message, range }) => `line ${range?.startPosition?.line ?? '?'}: ${message}`)
          .join('\n'),
        { path },
      ),
    );
}

import { create, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { GenMessage } from '@bufbuild/protobuf/codegenv2';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { describe, expect, it } from 'vitest';
import {
  type ConversationMessage,
  ConversationMessageSchema,
  StreamUnifiedChatRequestSchema,
} from '../../gen/aiserver/v1/chat_request_pb.ts';
import {
  AiWebSearchResultSchema,
  CommitSchema,
  ComposerCapabilityContextSchema,
  ComposerExternalLinkSchema,
  ContextPieceSchema,
  CurrentFileLocationDataSchema,
  DeepSearchSubagentReturnValueSchema,
  DocsReferenceSchema,
  FolderInfoSchema,
  GetLintsForChangeResponseSchema,
  InterpreterResultSchema,
  LinterErrorsWithoutFileContentsSchema,
  ProjectLayoutSchema,
  PullRequestSchema,
  RCPLogEntrySchema,
  RCPUIElementPickedSchema,
  SimpleFileDiffSchema,
  ViewableGitContextSchema,
  WebReferenceSchema,
} from '../../gen/aiserver/v1/undescribed_pb.ts';
import {
  MESSAGE_BOOKKEEPING,
  MESSAGE_CONTEXT,
  MESSAGE_STRUCTURE,
  MESSAGE_UNREAD,
  renderMessageContext,
} from './message-context.ts';
import {
  REQUEST_BOOKKEEPING,
  REQUEST_CONTEXT,
  REQUEST_STRUCTURE,
  REQUEST_UNREAD,
  renderRequestContext,
} from './request-context.ts';

type Fields = Parameters<typeof create<typeof ConversationMessageSchema>>[1];

function render(fields: Fields): string {
  const sent = toBinary(ConversationMessageSchema, create(ConversationMessageSchema, fields));
  return renderMessageContext(fromBinary(ConversationMessageSchema, sent), () => undefined).join('\n\n');
}

/** A message whose fields nobody has described, with a text and a nested text in it. */
function untold<Kind extends Message>(schema: GenMessage<Kind>, text: string): Kind {
  const nested = new BinaryWriter().tag(1, WireType.LengthDelimited).string(`inner ${text}`).finish();
  const bytes = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string(text)
    .tag(2, WireType.Varint)
    .uint32(7)
    .tag(3, WireType.LengthDelimited)
    .bytes(nested)
    .finish();
  return fromBinary(schema, bytes);
}

const CHUNK = { relativeWorkspacePath: 'src/a.ts', startLineNumber: 3, lines: ['let a;', 'let b;'] };
const GIT_DIFF = { diffs: [{ to: 'b.ts', chunks: [{ content: '@@ -1 +1 @@', lines: ['-old', '+new'] }] }] };

/** For each field: what is sent, and words that the model must read. */
const SAMPLES: Partial<Record<keyof ConversationMessage, readonly [Fields, ...string[]]>> = {
  attachedCodeChunks: [
    { attachedCodeChunks: [CHUNK] },
    '<attached_code path="src/a.ts" lines="3-4">\nlet a;\nlet b;\n</attached_code>',
  ],
  codebaseContextChunks: [
    { codebaseContextChunks: [{ relativeWorkspacePath: 'c.ts', contents: 'code' }] },
    'path="c.ts"',
    'code',
  ],
  attachedFolders: [{ attachedFolders: ['src/lib'] }, '<attached_folder path="src/lib"/>'],
  attachedFoldersNew: [{ attachedFoldersNew: [untold(FolderInfoSchema, 'docs/')] }, 'docs/', 'inner docs/'],
  attachedFoldersListDirResults: [
    {
      attachedFoldersListDirResults: [
        {
          directoryRelativeWorkspacePath: 'lib',
          files: [{ name: 'x', isDirectory: true }, { name: 'y.ts' }],
        },
      ],
    },
    'path="lib"',
    'x/\ny.ts',
  ],
  relevantFiles: [{ relevantFiles: ['p.ts', 'q.ts'] }, 'p.ts\nq.ts'],
  recentlyViewedFiles: [{ recentlyViewedFiles: [CHUNK] }, 'recently_viewed_file'],
  recentLocationsHistory: [
    { recentLocationsHistory: [{ relativeWorkspacePath: 'r.ts', lineNumber: 9 }] },
    'r.ts:9',
  ],
  ideEditorsState: [
    {
      ideEditorsState: {
        visibleFiles: [{ relativePath: 'v.ts', isCurrentlyFocused: true, currentLineNumber: 4 }],
        recentlyViewedFilePaths: ['w.ts'],
      },
    },
    'v.ts, focused, cursor on line 4',
    'w.ts',
  ],
  currentFileLocationData: [
    { currentFileLocationData: untold(CurrentFileLocationDataSchema, 'here.ts') },
    'here.ts',
  ],
  gitStatusRaw: [{ gitStatusRaw: ' M a.ts' }, ' M a.ts'],
  gitDiffs: [{ gitDiffs: [GIT_DIFF] }, 'path="b.ts"', '-old\n+new'],
  gitContext: [{ gitContext: untold(ViewableGitContextSchema, 'blame') }, 'blame'],
  commits: [{ commits: [untold(CommitSchema, 'fix: it')] }, 'fix: it'],
  pullRequests: [{ pullRequests: [untold(PullRequestSchema, 'PR 7')] }, 'PR 7'],
  humanChanges: [
    {
      humanChanges: [
        {
          relativeWorkspacePath: 'h.ts',
          renderedDiffs: [{ startLineNumber: 2, removedLines: ['a'], addedLines: ['b'] }],
        },
      ],
    },
    'path="h.ts"',
    '@@ line 2 @@\n-a\n+b',
  ],
  diffsSinceLastApply: [
    {
      diffsSinceLastApply: [
        { relativeWorkspacePath: 'd.ts', diff: { chunks: [{ diffString: '+x' }] }, isRejected: true },
      ],
    },
    'user="rejected"',
    '+x',
  ],
  deletedFiles: [{ deletedFiles: [{ relativeWorkspacePath: 'gone.ts' }] }, 'gone.ts'],
  assistantSuggestedDiffs: [{ assistantSuggestedDiffs: [untold(SimpleFileDiffSchema, 'sug')] }, 'sug'],
  approximateLintErrors: [
    { approximateLintErrors: [{ message: 'unused', value: 'x', startLine: 5 }] },
    'line 5: unused (x)',
  ],
  lints: [{ lints: [{ lints: untold(GetLintsForChangeResponseSchema, 'lint!') }] }, 'lint!'],
  multiFileLinterErrors: [
    { multiFileLinterErrors: [untold(LinterErrorsWithoutFileContentsSchema, 'no-any')] },
    'no-any',
  ],
  editTrailContexts: [
    { editTrailContexts: [{ editTrailSorted: [{ relativeWorkspacePath: 'e.ts', text: 'edited' }] }] },
    'e.ts: edited',
  ],
  interpreterResults: [{ interpreterResults: [untold(InterpreterResultSchema, '42')] }, '42'],
  consoleLogs: [{ consoleLogs: [untold(RCPLogEntrySchema, 'TypeError')] }, 'TypeError'],
  uiElementPicked: [{ uiElementPicked: [untold(RCPUIElementPickedSchema, '#save')] }, '#save'],
  lastTerminalCwd: [{ lastTerminalCwd: '/w/app' }, '/w/app'],
  notepads: [
    { notepads: [{ name: 'ideas', text: 'Do it', attachedCodeChunks: [CHUNK], gitDiffs: [GIT_DIFF] }] },
    'name="ideas"',
    'Do it',
    'let a;',
    '+new',
  ],
  knowledgeItems: [{ knowledgeItems: [{ title: 'T', knowledge: 'K' }] }, 'title="T"', 'K'],
  documentationSelections: [{ documentationSelections: [{ docId: '1', name: 'Zod' }] }, 'name="Zod"'],
  docsReferences: [{ docsReferences: [untold(DocsReferenceSchema, 'a doc')] }, 'a doc'],
  webReferences: [{ webReferences: [untold(WebReferenceSchema, 'https://x.example')] }, 'https://x.example'],
  aiWebSearchResults: [{ aiWebSearchResults: [untold(AiWebSearchResultSchema, 'found')] }, 'found'],
  externalLinks: [{ externalLinks: [untold(ComposerExternalLinkSchema, 'https://l.example')] }, 'l.example'],
  contextPieces: [{ contextPieces: [untold(ContextPieceSchema, 'piece')] }, 'piece'],
  capabilityContexts: [{ capabilityContexts: [untold(ComposerCapabilityContextSchema, 'cap')] }, 'cap'],
  summarizedComposers: [
    { summarizedComposers: [{ name: 'other', conversationSummary: { summary: 'was said' } }] },
    'name="other"',
    'was said',
  ],
  pastChats: [{ pastChats: [{ agentId: 'id', name: 'Before' }] }, 'name="Before"'],
  cursorCommands: [{ cursorCommands: [{ name: 'review', content: 'Review it.' }] }, 'Review it.'],
  subagentReturn: [
    {
      subagentReturn: {
        returnValue: {
          case: 'deepSearchReturnValue',
          value: untold(DeepSearchSubagentReturnValueSchema, 'deep'),
        },
      },
    },
    'deep',
  ],
  todos: [
    { todos: [{ id: '1', content: 'Test', status: 'TODO_STATUS_IN_PROGRESS' }] },
    '- [in_progress] Test (1)',
  ],
  planUpdate: [{ planUpdate: { currentPlan: '1. Plan' } }, '1. Plan'],
};

describe('the context of a message', () => {
  it('has a decision for every field of the protocol', () => {
    const fields = ConversationMessageSchema.fields.map(({ localName }) => localName);
    const decided = [
      ...Object.keys(MESSAGE_CONTEXT),
      ...MESSAGE_STRUCTURE,
      ...MESSAGE_BOOKKEEPING,
      ...MESSAGE_UNREAD,
    ];
    expect([...decided].sort()).toEqual([...fields].sort());
  });

  it('has a sample for every field that becomes text', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(Object.keys(MESSAGE_CONTEXT).sort());
  });

  const rows = Object.entries(SAMPLES).flatMap(([name, sample]) => (sample ? [{ name, sample }] : []));
  it.each(rows)('says $name', ({ sample: [fields, ...words] }) => {
    const text = render(fields);
    for (const word of words) expect(text).toContain(word);
  });

  it('is nothing for a message that holds nothing', () => {
    expect(render({ text: 'Hello' })).toBe('');
    expect(render({ commits: [{}] })).toBe('');
  });

  it('counts what it cannot read', () => {
    const drift: string[] = [];
    const message = create(ConversationMessageSchema, { projectLayouts: [untold(ProjectLayoutSchema, 'x')] });
    renderMessageContext(message, (kind) => drift.push(kind));
    expect(drift).toEqual(['ConversationMessage.projectLayouts']);
  });

  it('cuts what is longer than any model reads', () => {
    const lines = Array.from({ length: 30_000 }, () => 'x'.repeat(9));
    const text = render({ attachedCodeChunks: [{ ...CHUNK, lines }] });
    expect(text.length).toBeLessThan(201_000);
    expect(text).toContain('more characters are left out');
  });
});

describe('the context of a request', () => {
  it('has a decision for every field of the protocol', () => {
    const fields = StreamUnifiedChatRequestSchema.fields.map(({ localName }) => localName);
    const decided = [
      ...Object.keys(REQUEST_CONTEXT),
      ...REQUEST_STRUCTURE,
      ...REQUEST_BOOKKEEPING,
      ...REQUEST_UNREAD,
    ];
    expect([...decided].sort()).toEqual([...fields].sort());
  });

  it('says what the editor shows', () => {
    const drift: string[] = [];
    const request = create(StreamUnifiedChatRequestSchema, {
      currentFile: { relativeWorkspacePath: 'now.ts', contents: 'let now;', cursorPosition: { line: 8 } },
      projectContext: { text: 'About', attachedCodeChunks: [CHUNK] },
      usesCodebaseResults: { results: [{ codeBlock: { relativeWorkspacePath: 's.ts', contents: 'found' } }] },
      linterErrors: {
        relativeWorkspacePath: 'l.ts',
        errors: [{ message: 'bad', range: { startPosition: { line: 2 } } }],
      },
      multiFileLinterErrors: [{ relativeWorkspacePath: 'm.ts', errors: [{ message: 'worse' }] }],
      documentationIdentifiers: ['react'],
      externalLinks: [untold(ComposerExternalLinkSchema, 'https://e.example')],
      currentPlan: { name: 'P', content: 'Step 1' },
      recentEdits: {},
    });
    const text = renderRequestContext(request, (kind) => drift.push(kind)).join('\n');
    for (const word of [
      'now.ts',
      'let now;',
      'cursor_line="8"',
      'About',
      'let a;',
      'found',
      'line 2: bad',
      'worse',
    ])
      expect(text).toContain(word);
    for (const word of ['react', 'https://e.example', 'name="P"', 'Step 1']) expect(text).toContain(word);
    expect(drift).toEqual(['StreamUnifiedChatRequest.recentEdits']);
  });
});

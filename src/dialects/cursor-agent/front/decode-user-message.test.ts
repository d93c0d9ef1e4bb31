import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { type Part, textOf } from '../../../core/index.ts';
import { SelectedContextSchema } from '../../../gen/agent/v1/selected_context_pb.ts';
import { UserMessageSchema } from '../../../gen/agent/v1/user_message_pb.ts';
import { decodeUserMessage } from './decode-user-message.ts';

const BLOB = new Uint8Array(32).fill(7);
const PIXEL = new Uint8Array([0xff, 0xd8, 0xff]);
const readBlob = async (id: Uint8Array) =>
  Buffer.from(id).equals(BLOB) ? new TextEncoder().encode('from the blob') : undefined;

async function attach(context: MessageInitShape<typeof SelectedContextSchema>): Promise<readonly Part[]> {
  const selectedContext = create(SelectedContextSchema, context);
  const message = await decodeUserMessage(
    create(UserMessageSchema, { text: 'look', selectedContext }),
    readBlob,
  );
  expect(message.content[0]).toEqual({ type: 'text', text: 'look' });
  return message.content.slice(1);
}

describe('what a user says', () => {
  it('keeps its id, and may stand in a blob', async () => {
    const plain = await decodeUserMessage(
      create(UserMessageSchema, { text: 'hi', messageId: 'm1' }),
      readBlob,
    );
    expect(plain).toEqual({ role: 'user', id: 'm1', content: [{ type: 'text', text: 'hi' }] });
    const long = await decodeUserMessage(create(UserMessageSchema, { textBlobId: BLOB }), readBlob);
    expect(textOf(long.content)).toBe('from the blob');
  });

  it('brings images as bytes, by blob, or both', async () => {
    const parts = await attach({
      selectedImages: [
        { uuid: 'a', mimeType: 'image/png', dataOrBlobId: { case: 'data', value: PIXEL } },
        { uuid: 'b', dataOrBlobId: { case: 'blobIdWithData', value: { blobId: BLOB, data: PIXEL } } },
        { uuid: 'c', mimeType: 'image/webp', dataOrBlobId: { case: 'blobId', value: BLOB } },
        { uuid: 'lost', dataOrBlobId: { case: 'blobId', value: new Uint8Array(32) } },
      ],
    });
    const data = Buffer.from(PIXEL).toString('base64');
    expect(parts.slice(0, 3)).toEqual([
      { type: 'image', source: { type: 'base64', data, mediaType: 'image/png' } },
      { type: 'image', source: { type: 'base64', data, mediaType: 'image/jpeg' } },
      {
        type: 'image',
        source: {
          type: 'base64',
          data: Buffer.from('from the blob').toString('base64'),
          mediaType: 'image/webp',
        },
      },
    ]);
    expect(textOf(parts.slice(3))).toContain('no longer available');
  });

  it('brings documents as files, and text documents as text', async () => {
    const parts = await attach({
      selectedDocuments: [
        { filename: 'a.pdf', mimeType: 'application/pdf', dataOrBlobId: { case: 'data', value: PIXEL } },
        { filename: 'b.txt', mimeType: 'text/plain', dataOrBlobId: { case: 'blobId', value: BLOB } },
      ],
    });
    expect(parts).toMatchObject([
      { type: 'file', filename: 'a.pdf', source: { mediaType: 'application/pdf' } },
      { type: 'text', text: expect.stringContaining('from the blob') },
    ]);
  });

  it.each<[string, MessageInitShape<typeof SelectedContextSchema>]>([
    ['src/a.ts', { files: [{ path: '/w/src/a.ts', relativePath: 'src/a.ts', content: 'let a;' }] }],
    [
      'lines 3-9',
      { codeSelections: [{ path: 'b.ts', content: 'x', range: { start: { line: 3 }, end: { line: 9 } } }] },
    ],
    ['npm ERR', { terminals: [{ title: 'zsh', content: 'npm ERR' }] }],
    ['exit 1', { terminalSelections: [{ title: 'zsh', content: 'exit 1' }] }],
    ['/w/docs', { folders: [{ path: '/w/docs' }] }],
    ['https://example.test', { externalLinks: [{ url: 'https://example.test', pdfContent: 'the page' }] }],
    ['from the blob', { externalLinks: [{ url: 'https://example.test', blobId: BLOB }] }],
    ['Be kind.', { cursorRules: [{ rule: { fullPath: 'r.mdc', content: 'Be kind.' } }] }],
    ['+added', { gitDiff: { content: '+added' } }],
    ['+branch', { gitDiffFromBranchToMain: { content: '+branch' } }],
    ['abc123', { gitCommits: [{ sha: 'abc123', message: 'fix', diff: '-a' }] }],
    ['Review it.', { cursorCommands: [{ name: 'review', content: 'Review it.' }] }],
    ['a skill', { selectedSkills: [{ fullPath: 's/SKILL.md', content: 'a skill' }] }],
    ['React', { documentations: [{ docId: 'd', name: 'React' }] }],
    ['//button', { uiElements: [{ element: 'button', xpath: '//button', textContent: 'Go' }] }],
    ['TypeError', { consoleLogs: [{ level: 'error', message: 'TypeError' }] }],
    ['loose words', { extraContext: ['loose words'] }],
    ['from the blob', { extraContextEntries: [{ dataOrBlobId: { case: 'blobId', value: BLOB } }] }],
    ['Old chat', { pastChats: [{ agentId: 'a', name: 'Old chat' }] }],
    ['pull/7', { gitPrDiffSelections: [{ prUrl: 'pull/7', filePath: 'a', diffContent: '+1' }] }],
    ['pull/8', { selectedPullRequests: [{ url: 'pull/8', title: 'Fix' }] }],
    ['explorer', { selectedSubagents: [{ name: 'explorer' }] }],
    ['film.mp4', { selectedVideos: [{ filename: 'film.mp4' }] }],
    ['localhost:3000', { selectedBrowsers: [{ url: 'localhost:3000' }] }],
    ['An agent', { recentAgentsContext: { recentAgents: [{ name: 'An agent', path: '/t' }] } }],
    ['commit', { selectedAgenticGitAction: { params: { case: 'commitParams', value: {} } } }],
    [
      'cursor at 4',
      {
        invocationContext: {
          data: { case: 'ideState', value: { visibleFiles: [{ path: 'x', cursorPosition: { line: 4 } }] } },
        },
      },
    ],
    ['hello team', { invocationContext: { data: { case: 'slackThread', value: { thread: 'hello team' } } } }],
    [
      'CI is red',
      {
        invocationContext: { data: { case: 'githubPr', value: { title: 'Fix', ciFailures: 'CI is red' } } },
      },
    ],
  ])('says what is attached: %s', async (words, context) => {
    const parts = await attach(context);
    expect(parts).toHaveLength(1);
    expect(textOf(parts)).toContain(words);
  });
});

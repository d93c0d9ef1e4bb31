// What a user attached to a message (agent.v1 SelectedContext), in words for the model. Images and documents are parts.
import { fromBinary } from '@bufbuild/protobuf';
import { type FilePart, type ImagePart, omitUndefined, type Part } from '../../../core/index.ts';
import type { LsDirectoryTreeNode } from '../../../gen/agent/v1/common_pb.ts';
import {
  type InvocationContext,
  InvocationContextSchema,
  type SelectedContext,
  type SelectedDocument,
  type SelectedImage,
} from '../../../gen/agent/v1/selected_context_pb.ts';

/** Reads a blob that an attachment names; undefined when nobody has it. */
export type ReadBlob = (id: Uint8Array) => Promise<Uint8Array | undefined>;

const MISSING = '(its content is no longer available)';

export async function describeAttachments(context: SelectedContext, readBlob: ReadBlob): Promise<Part[]> {
  const texts = [
    ...describeCode(context),
    ...describeRest(context),
    ...(await describeBlobs(context, readBlob)),
  ];
  const parts: Part[] = texts.length === 0 ? [] : [{ type: 'text', text: texts.join('\n\n') }];
  for (const image of context.selectedImages) parts.push(await imagePart(image, readBlob));
  for (const document of context.selectedDocuments) parts.push(await documentPart(document, readBlob));
  return parts;
}

function describeCode(context: SelectedContext): string[] {
  return [
    ...context.files.map(({ path, relativePath, content }) =>
      block('attached_file', relativePath ?? path, content),
    ),
    ...context.codeSelections.map(({ path, relativePath, content, range }) => {
      const lines = range ? ` lines ${range.start?.line ?? 0}-${range.end?.line ?? 0}` : '';
      return block('code_selection', `${relativePath ?? path}${lines}`, content);
    }),
    ...context.folders.map(({ path, directoryTree }) =>
      block('attached_folder', path, listFolder(directoryTree)),
    ),
    ...context.terminals.map(({ title, path, content }) => block('terminal', title ?? path ?? '', content)),
    ...context.terminalSelections.map(({ title, path, content }) =>
      block('terminal_selection', title ?? path ?? '', content),
    ),
    ...[context.gitDiff, context.gitDiffFromBranchToMain].flatMap((diff) =>
      diff ? [block('git_diff', '', diff.content)] : [],
    ),
    ...context.gitCommits.map(({ sha, message, diff }) => block('git_commit', sha, `${message}\n${diff}`)),
  ];
}

function listFolder(tree: LsDirectoryTreeNode | undefined): string {
  const folders = tree?.childrenDirs.map(({ absPath }) => `${absPath}/`) ?? [];
  const files = tree?.childrenFiles.map(({ name }) => name) ?? [];
  return [...folders, ...files].join('\n');
}

function describeRest(context: SelectedContext): string[] {
  return [
    ...context.cursorRules.flatMap(({ rule }) => (rule ? [block('rule', rule.fullPath, rule.content)] : [])),
    ...context.cursorCommands.map(({ name, content }) => block('command', name, content)),
    ...context.selectedSkills.map(({ fullPath, content }) => block('skill', fullPath, content)),
    ...context.extraContext.map((text) => block('context', '', text)),
    ...context.documentations.map(({ name }) => block('documentation', name, '')),
    ...context.uiElements.map(({ element, xpath, textContent, extra }) =>
      block('ui_element', xpath, [element, textContent, extra].filter(Boolean).join('\n')),
    ),
    ...context.consoleLogs.map(({ level, message, stackTrace }) =>
      block('console_log', level, [message, stackTrace?.rawStackTrace].filter(Boolean).join('\n')),
    ),
    ...context.pastChats.map(({ name, agentId }) => block('past_chat', name || agentId, '')),
    ...context.selectedSubagents.map(({ name }) => block('use_sub_agent', name, '')),
    ...context.selectedBrowsers.map(({ url, pageTitle }) => block('browser', url, pageTitle ?? '')),
    ...context.selectedVideos.map(({ filename, path }) =>
      block('video', filename || path, '(this model cannot watch videos)'),
    ),
    ...(context.recentAgentsContext?.recentAgents ?? []).map(({ name, path, overview }) =>
      block('recent_agent', name, [path, overview].filter(Boolean).join('\n')),
    ),
    ...(context.selectedAgenticGitAction?.params.case
      ? [block('git_action', context.selectedAgenticGitAction.params.case.replace(/Params$/, ''), '')]
      : []),
    ...describeInvocation(context.invocationContext),
  ];
}

function describeInvocation(invocation: InvocationContext | undefined): string[] {
  const data = invocation?.data;
  switch (data?.case) {
    case 'slackThread':
    case 'microsoftTeamsThread':
      return [block('thread', data.value.channelName ?? '', data.value.thread)];
    case 'githubPr': {
      const { title, description, comments, ciFailures } = data.value;
      return [block('pull_request', title, [description, comments, ciFailures].filter(Boolean).join('\n'))];
    }
    case 'ideState': {
      const { visibleFiles, recentlyViewedFiles, currentlyViewedPrs } = data.value;
      const list = (files: typeof visibleFiles) =>
        files
          .map(({ path, cursorPosition }) =>
            cursorPosition ? `${path} (cursor at ${cursorPosition.line})` : path,
          )
          .join('\n');
      return [
        ...(visibleFiles.length > 0 ? [block('visible_files', '', list(visibleFiles))] : []),
        ...(recentlyViewedFiles.length > 0 ? [block('recent_files', '', list(recentlyViewedFiles))] : []),
        ...currentlyViewedPrs.map(({ url, title }) => block('viewed_pull_request', url, title ?? '')),
      ];
    }
    default:
      return [];
  }
}

async function describeBlobs(context: SelectedContext, readBlob: ReadBlob): Promise<string[]> {
  const text = async (id: Uint8Array | undefined): Promise<string> => {
    if (!id || id.length === 0) return '';
    const data = await readBlob(id);
    return data ? Buffer.from(data).toString('utf8') : MISSING;
  };
  const texts = await describeStoredInvocation(context.invocationContext, readBlob);
  for (const { dataOrBlobId } of context.extraContextEntries) {
    const body = dataOrBlobId.case === 'data' ? dataOrBlobId.value : await text(dataOrBlobId.value);
    texts.push(block('context', '', body));
  }
  for (const { url, filename, pdfContent, blobId } of context.externalLinks) {
    texts.push(block('link', filename ? `${url} (${filename})` : url, pdfContent ?? (await text(blobId))));
  }
  for (const { prUrl, filePath, startLine, endLine, diffContent, blobId } of context.gitPrDiffSelections) {
    const title = `${prUrl} ${filePath} lines ${startLine}-${endLine}`;
    texts.push(block('pull_request_diff', title, diffContent ?? (await text(blobId))));
  }
  for (const { url, title, description, summaryJson, blobId } of context.selectedPullRequests) {
    const body = [title, description, summaryJson, await text(blobId)].filter(Boolean).join('\n');
    texts.push(block('pull_request', url, body));
  }
  return texts;
}

/** Guessed: a blob in this place holds the same message. */
async function describeStoredInvocation(
  invocation: InvocationContext | undefined,
  readBlob: ReadBlob,
): Promise<string[]> {
  if (invocation?.data.case !== 'blobId') return [];
  const data = await readBlob(invocation.data.value);
  try {
    return data ? describeInvocation(fromBinary(InvocationContextSchema, data)) : [];
  } catch {
    return [block('context', 'invocation', MISSING)];
  }
}

type Bytes = SelectedImage['dataOrBlobId'] | SelectedDocument['dataOrBlobId'];

async function bytesOf(carrier: Bytes, readBlob: ReadBlob): Promise<Uint8Array | undefined> {
  switch (carrier.case) {
    case 'data':
      return carrier.value;
    case 'blobIdWithData':
      return carrier.value.data.length > 0 ? carrier.value.data : await readBlob(carrier.value.blobId);
    case 'blobId':
      return await readBlob(carrier.value);
    default:
      return undefined;
  }
}

async function imagePart(image: SelectedImage, readBlob: ReadBlob): Promise<Part> {
  const bytes = await bytesOf(image.dataOrBlobId, readBlob);
  if (!bytes || bytes.length === 0)
    return { type: 'text', text: block('image', image.path || image.uuid, MISSING) };
  const part: ImagePart = { type: 'image', source: inline(bytes, image.mimeType || sniffImage(bytes)) };
  return part;
}

async function documentPart(document: SelectedDocument, readBlob: ReadBlob): Promise<Part> {
  const { filename, mimeType, path } = document;
  const name = filename || path;
  const bytes = await bytesOf(document.dataOrBlobId, readBlob);
  if (!bytes || bytes.length === 0) return { type: 'text', text: block('document', name, MISSING) };
  if (mimeType.startsWith('text/')) {
    return { type: 'text', text: block('document', name, Buffer.from(bytes).toString('utf8')) };
  }
  const part: FilePart = omitUndefined({
    type: 'file' as const,
    source: inline(bytes, mimeType || 'application/pdf'),
    filename: name === '' ? undefined : name,
  });
  return part;
}

function inline(bytes: Uint8Array, mediaType: string) {
  return { type: 'base64' as const, data: Buffer.from(bytes).toString('base64'), mediaType };
}

/** Clients leave the type out; models refuse a picture under a wrong one. */
function sniffImage(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('\xff\xd8')) return 'image/jpeg';
  if (head.startsWith('GIF8')) return 'image/gif';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp';
  return 'image/png';
}

function block(tag: string, title: string, body: string): string {
  const head = title === '' ? `<${tag}>` : `<${tag} name=${JSON.stringify(title)}>`;
  return body === '' ? `${head.slice(0, -1)} />` : `${head}\n${body}\n</${tag}>`;
}

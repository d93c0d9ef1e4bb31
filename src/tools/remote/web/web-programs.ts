// WEB_SEARCH (18), WEB_FETCH (57), GENERATE_IMAGE (53): the user is asked through the client, then whoever can does it. A
// page is fetched by the client where it knows how, so that it comes through the user's own network.
import { GatewayError, type JsonObject, omitUndefined } from '../../../core/index.ts';
import { fail, succeed, type ToolOutcome } from '../../tool-outcome.ts';
import { isClientGone } from '../client-gone.ts';
import { decodeExecResult } from '../exec/exec-codec.ts';
import { askClient, refusalIn } from '../people/ask-client.ts';
import type { ImageArguments, WebFetchArguments, WebSearchArguments } from '../remote-options.ts';
import { defineRemoteTool, type RemoteCall } from '../remote-tool.ts';
import { runExec, sendExec } from '../run-exec.ts';

export const webSearch = defineRemoteTool<WebSearchArguments>('web_search', {
  isListed: ({ options, port }) =>
    options.webSearch !== undefined && port.requestContext?.webSearchEnabled !== false,
  async run(args, call) {
    const search = call.session.options.webSearch;
    if (!search)
      return {
        outcome: fail(
          'ENOSYS',
          'Web search is not implemented here: the gateway has no search service (tools.webSearch in crosspoint.yaml). Read a page whose address you know with web_fetch.',
        ),
      };
    const answer = await askClient(call, {
      case: 'webSearchRequestQuery',
      value: { args: { searchTerm: args.search_term, toolCallId: call.callId } },
    });
    const refusal = refusalIn(answer, 'webSearchRequestResponse', `the web search for "${args.search_term}"`);
    return { outcome: refusal ?? (await search(args, call.signal)) };
  },
});

export const webFetch = defineRemoteTool<WebFetchArguments>('web_fetch', {
  isListed: ({ port }) => port.requestContext?.webFetchEnabled !== false,
  async run(args, call) {
    const answer = await askClient(call, {
      case: 'webFetchRequestQuery',
      value: { args: { url: args.url, toolCallId: call.callId } },
    });
    const refusal = refusalIn(answer, 'webFetchRequestResponse', `reading ${args.url}`);
    return { outcome: refusal ?? (await fetchPage(args, call)) };
  },
});

async function fetchPage(args: WebFetchArguments, call: RemoteCall): Promise<ToolOutcome> {
  const { unknownExecs, options } = call.session;
  if (!unknownExecs.has('fetch')) {
    try {
      return (await runExec(call, 'fetch', { ...args })).outcome;
    } catch (error) {
      if (call.signal.aborted || !(error instanceof GatewayError) || isClientGone(error)) throw error;
      unknownExecs.add('fetch');
    }
  }
  if (options.webFetch) return options.webFetch(args, call.signal);
  return fail(
    'ENOSYS',
    `The client cannot fetch pages, so ${args.url} was not read. Try curl in a shell command.`,
  );
}

const FOLDER = 'assets';

export const generateImage = defineRemoteTool<ImageArguments>('generate_image', {
  isListed: ({ options }) => options.generateImage !== undefined,
  claims: (args) => [{ type: 'path', path: pictureName(args), access: 'write' }],
  async run(args, call) {
    const generate = call.session.options.generateImage;
    if (!generate)
      return {
        outcome: fail(
          'ENOSYS',
          'Pictures are not implemented here: the gateway has no service that makes them (tools.images in crosspoint.yaml).',
        ),
      };
    const path = call.session.folder.absolute(pictureName(args));
    const answer = await askClient(call, {
      case: 'generateImageRequestQuery',
      value: {
        args: omitUndefined({
          description: args.description,
          filePath: path,
          referenceImagePaths: [...args.reference_image_paths],
          aspectRatio: args.aspect_ratio,
        }),
        toolCallId: call.callId,
      },
    });
    const refusal = refusalIn(answer, 'generateImageRequestResponse', 'making the picture');
    return { outcome: refusal ?? (await save(await generate(args, call.signal), path, call)) };
  },
});

function pictureName({ filename: name = 'picture.png' }: ImageArguments): string {
  return `${FOLDER}/${/\.\w+$/.test(name) ? name : `${name}.png`}`;
}

async function save(made: ToolOutcome, path: string, call: RemoteCall): Promise<ToolOutcome> {
  if (!made.ok) return made;
  const source = made.parts?.find((part) => part.type === 'image')?.source;
  if (source?.type !== 'base64')
    return fail('FAILED', 'The service answered without a picture; try other words.');
  const args: JsonObject = { path, contents_base64: source.data };
  const written = decodeExecResult('write', await sendExec(call, 'write', args), args);
  if (!written.ok) return written;
  return succeed(`The picture is saved as ${call.session.folder.display(path)}.`, {
    parts: made.parts ?? [],
    attachments: { file_path: path },
    data: { success: { file_path: path } },
  });
}

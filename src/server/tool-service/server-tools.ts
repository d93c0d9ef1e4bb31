// What the gateway does for clients that cannot: it searches the web, reads pages and makes pictures with the services that
// the section `tools` names. Their user is asked by the remote tools before any of this runs.
import { randomId } from '../../core/index.ts';
import { imagePort, type WebAccessOptions } from '../../tools/builtin/web/index.ts';
import { ASPECT_RATIOS, type ImagePort } from '../../tools/builtin/web/media-ports.ts';
import { settleWeb } from '../../tools/builtin/web/web-fault.ts';
import { findBuiltinTool } from '../../tools/codecs/find-builtin-tool.ts';
import type { ImageArguments, RemoteToolsOptions } from '../../tools/remote/index.ts';
import { Resources } from '../../tools/resources.ts';
import type { ToolSettings } from '../../tools/runtime/tool-settings.ts';
import type { ToolContext } from '../../tools/tool-context.ts';
import { fail, succeed, type ToolOutcome } from '../../tools/tool-outcome.ts';
import { Workspace } from '../../tools/workspace.ts';
import { setToolServices } from './set-tool-services.ts';

export type ServerTools = Pick<RemoteToolsOptions, 'gates' | 'webSearch' | 'webFetch' | 'generateImage'>;

export interface ServerToolsOptions {
  /** Whether clients may have pages read from here: it is the gateway's network then, not theirs. */
  readonly readsPages: boolean;
  readonly mayFollow: NonNullable<WebAccessOptions['mayFollow']>;
}

export function createServerTools(settings: ToolSettings, options: ServerToolsOptions): ServerTools {
  const resources = new Resources();
  // Private hosts are named for tools that a person here has agreed to; a client's user knows nothing of this network.
  const web = { ...settings.web, privateHosts: [] };
  setToolServices(resources, { ...settings, web }, options.mayFollow);
  const run = (name: string) => (args: unknown, signal: AbortSignal) =>
    findBuiltinTool(name).run(args, contextFor(resources, signal));
  const images = resources.get(imagePort);
  return {
    gates: settings.gates,
    ...(settings.webSearch && { webSearch: run('web_search') }),
    ...(options.readsPages && { webFetch: run('web_fetch') }),
    ...(images && {
      generateImage: (args, signal) =>
        settleWeb(contextFor(resources, signal), () => makePicture(images, args, signal)),
    }),
  };
}

/** These tools touch no file, keep nothing and start no program. */
function contextFor(resources: Resources, signal: AbortSignal): ToolContext {
  return {
    callId: '',
    workspace: new Workspace('/'),
    mode: 'agent',
    signal,
    resources,
    nowMs: Date.now,
    newId: randomId,
    stateFolder: '',
    env: {},
    progress: () => undefined,
  };
}

async function makePicture(
  images: ImagePort,
  { description, aspect_ratio, reference_image_paths }: ImageArguments,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  if (reference_image_paths.length > 0)
    return fail(
      'EINVAL',
      `${reference_image_paths[0]} is at the client and cannot be shown to the image service; describe it in words.`,
    );
  const aspectRatio = ASPECT_RATIOS.find((ratio) => ratio === aspect_ratio) ?? '1:1';
  const { bytes, mediaType } = await images.generate({ description, aspectRatio, references: [] }, signal);
  const data = Buffer.from(bytes).toString('base64');
  return succeed(`The picture is made (${mediaType}, ${bytes.length} bytes).`, {
    parts: [{ type: 'image', source: { type: 'base64', data, mediaType } }],
  });
}

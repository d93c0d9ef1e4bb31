// The sections `policy` and `tools` for calls that native clients run: what nobody may do, and what is done for them here.
import { homedir } from 'node:os';
import type { Config } from '../../config/index.ts';
import type { JudgedCall, RemoteToolsOptions } from '../../tools/remote/index.ts';
import { readToolSections } from './read-tool-sections.ts';

export type NativeToolOptions = Pick<
  RemoteToolsOptions,
  'forbids' | 'gates' | 'webSearch' | 'webFetch' | 'generateImage'
>;

/** Loaded with the first native stream: policy and web tools bring parsers along. */
export function createNativeToolOptions(
  config: Pick<Config, 'policy' | 'tools' | 'mcp'>,
  homeFolder: string = homedir(),
): () => Promise<NativeToolOptions> {
  let loading: Promise<NativeToolOptions> | undefined;
  return () => {
    loading ??= load(config, homeFolder);
    return loading;
  };
}

async function load(
  config: Pick<Config, 'policy' | 'tools' | 'mcp'>,
  homeFolder: string,
): Promise<NativeToolOptions> {
  const [{ createDenials }, { createServerTools }, { webFetch }] = await Promise.all([
    import('../../tools/policy/index.ts'),
    import('./server-tools.ts'),
    import('../../tools/builtin/web/web-fetch.ts'),
  ]);
  const { policy, tools } = readToolSections(config);
  const denials = createDenials(policy, { homeFolder });
  const forbids = async ({ tool, touches, folders }: Omit<JudgedCall, 'mode'>) => {
    const verdict = await denials?.find({ tool, touches, folders });
    if (!verdict) return undefined;
    const reason = verdict.reason.replace(/[.\s]*$/, '');
    return `The operator of this gateway forbids this call: ${reason} (rule ${verdict.rule}). The user cannot allow it here; do it another way, or tell the user what is not possible.`;
  };
  const serverTools = createServerTools(tools, {
    readsPages: config.tools?.web !== undefined,
    mayFollow: async (url) =>
      (await forbids({ tool: webFetch, touches: [{ type: 'host', url }], folders: [] })) === undefined,
  });
  return { ...serverTools, ...(denials && { forbids }) };
}

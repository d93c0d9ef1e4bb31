import { omitUndefined } from '../../core/index.ts';
import { ShellJobs, shellJobs } from '../../tools/builtin/shell/shell-jobs.ts';
import {
  createBraveSearch,
  createMcpScreen,
  createOpenAiImages,
  createSearxngSearch,
  createTavilySearch,
  createWebAccess,
  type Forge,
  forges,
  imagePort,
  type SearchProvider,
  screenPort,
  searchProvider,
  type WebAccessOptions,
  webAccess,
} from '../../tools/builtin/web/index.ts';
import type { Resources } from '../../tools/resources.ts';
import { expandHome, type ToolSettings } from '../../tools/runtime/tool-settings.ts';
import { sandboxSettings } from '../../tools/sandbox/index.ts';

/** What the section `tools` names becomes what the tools find: services, reach, sandbox, limits. */
export function setToolServices(
  resources: Resources,
  settings: ToolSettings,
  mayFollow: NonNullable<WebAccessOptions['mayFollow']>,
): void {
  const { web, webSearch, images, screen, sandbox, limits } = settings;
  resources.set(webAccess, createWebAccess({ ...web, mayFollow }));
  resources.set(forges, withPublicForges(settings.forges));
  if (webSearch) resources.set(searchProvider, createSearch(webSearch));
  if (images) resources.set(imagePort, createOpenAiImages(omitUndefined(images)));
  if (screen) resources.set(screenPort, createMcpScreen(screen.server));
  resources.set(sandboxSettings, {
    isOn: sandbox.enabled,
    allowsNetwork: sandbox.allowNetwork,
    extraWritable: sandbox.writable.map(expandHome),
  });
  resources.set(shellJobs, new ShellJobs({ maxOutputBytes: limits.maxCommandOutputBytes }));
}

function createSearch({
  provider,
  baseUrl,
  apiKey = '',
}: NonNullable<ToolSettings['webSearch']>): SearchProvider {
  switch (provider) {
    case 'searxng':
      return createSearxngSearch({ baseUrl: baseUrl ?? '', ...(apiKey === '' ? {} : { apiKey }) });
    case 'brave':
      return createBraveSearch(omitUndefined({ baseUrl, apiKey }));
    case 'tavily':
      return createTavilySearch(omitUndefined({ baseUrl, apiKey }));
  }
}

/** The public hosts stay known, with the user's token where the section names them again. */
function withPublicForges(own: ToolSettings['forges']): readonly Forge[] {
  const written = own.map(({ kind, host, apiUrl, token }) =>
    omitUndefined({ kind, host, apiUrl: apiUrl ?? usualApiUrl(kind, host), token }),
  );
  const isNamed = ({ host }: Forge) => written.some((one) => one.host.toLowerCase() === host);
  return [...written, ...forges.create().filter((one) => !isNamed(one))];
}

/** Where the API of a host usually is: the public ones, GitHub Enterprise Server, GitLab anywhere. */
function usualApiUrl(kind: Forge['kind'], host: string): string {
  if (kind === 'gitlab') return `https://${host}/api/v4`;
  return host.toLowerCase() === 'github.com' ? 'https://api.github.com' : `https://${host}/api/v3`;
}

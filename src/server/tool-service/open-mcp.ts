import {
  fileStore,
  loadDefinitions,
  type McpConfig,
  type McpHub,
  type McpHubOptions,
  openMcpHub,
} from '../../mcp/index.ts';
import { scrubEnv } from '../../tools/scrub-env.ts';
import { mcpFiles } from './mcp-files.ts';

export interface OpenMcpOptions extends Pick<McpHubOptions, 'elicit' | 'signIn' | 'version'> {
  readonly config: McpConfig;
  readonly workspace: string;
  /** Only then are the workspace's own files read. */
  readonly isTrusted: boolean;
  readonly stateHome: string;
  readonly homeFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface OpenedMcp {
  readonly hub: McpHub;
  /** About files of other clients that could not be used. */
  readonly problems: readonly string[];
}

/** The servers of the configuration and of other clients' files. None is started before it is needed. */
export async function openMcp(options: OpenMcpOptions): Promise<OpenedMcp> {
  const { config, workspace, isTrusted, stateHome, homeFolder, env } = options;
  const { definitions, problems } = await loadDefinitions(config, {
    env,
    homeFolder,
    workspaceFolder: workspace,
    isWorkspaceTrusted: isTrusted,
  });
  const files = mcpFiles(stateHome);
  const hub = await openMcpHub({
    definitions,
    pins: fileStore(files.pins),
    tokens: fileStore(files.tokens),
    baseEnv: { HOME: homeFolder, ...pickEnv(env) },
    cwd: workspace,
    roots: [workspace],
    ...(options.version === undefined ? {} : { version: options.version }),
    ...(options.elicit && { elicit: options.elicit }),
    ...(options.signIn && { signIn: options.signIn }),
  });
  return { hub, problems };
}

/** What a program needs to start, find its files and reach the network; keys are given by name in its definition. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|XDG_\w+|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|(?:HTTPS?|NO|ALL)_PROXY|SYSTEMROOT|WINDIR|COMSPEC|PATHEXT|USERPROFILE|(?:LOCAL)?APPDATA|PROGRAM(?:FILES|DATA))$/i;

function pickEnv(env: OpenMcpOptions['env']): Record<string, string> {
  return Object.fromEntries(Object.entries(scrubEnv(env)).filter(([name]) => PASSED_ON.test(name)));
}

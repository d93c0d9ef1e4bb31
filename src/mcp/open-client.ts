// Opens a connection as the definition says. Protocol versions: servers of the `initialize` era (up to 2025-11-25) and
// of the `server/discover` era (2026-07-28) are both served. Over HTTP the SDK probes; a program is first greeted the
// old way, because some of them end at a request they do not know.

import { pathToFileURL } from 'node:url';
import {
  Client,
  type ClientOptions,
  ProtocolError,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { JsonObject } from '../core/index.ts';
import type { ArgumentChecker } from './argument-checker.ts';
import { answerElicitation, type Elicit } from './elicitation.ts';
import { McpFault } from './mcp-fault.ts';
import type { OAuthSession } from './oauth-session.ts';
import { type ServerDefinition, transportOf } from './server-definition.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface OpenOptions {
  readonly definition: ServerDefinition;
  readonly signal: AbortSignal;
  /** PATH, HOME and whatever a system needs to start programs at all. */
  readonly baseEnv: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Folders the server may be told of. */
  readonly roots: readonly string[];
  readonly version: string;
  readonly graceMs: number;
  readonly checker: ArgumentChecker;
  readonly session: OAuthSession | undefined;
  readonly elicit: Elicit | undefined;
  onToolsChanged(): void;
  /** Told as soon as the program exists, so that its last words are known even if it never connects. */
  onProgram(program: StdioTransport): void;
}

export interface LiveClient {
  readonly client: Client;
  readonly transport: Transport;
}

export function openClient(options: OpenOptions): Promise<LiveClient> {
  const { config } = options.definition;
  return transportOf(config) === 'stdio' ? openProgram(options) : openAddress(options);
}

async function openProgram(options: OpenOptions): Promise<LiveClient> {
  try {
    return await connect(programTransport(options), 'legacy', options);
  } catch (error) {
    // It answered, but not to `initialize`: a server of the newer era only.
    if (!ProtocolError.isInstance(error)) throw error;
    return connect(programTransport(options), 'auto', options);
  }
}

function programTransport({ definition, baseEnv, cwd, graceMs, onProgram }: OpenOptions): Transport {
  const { command, args, env, cwd: ownFolder } = definition.config;
  if (command === undefined) throw new McpFault('EINVAL', `${definition.name} has no command.`);
  const folder = ownFolder ?? cwd;
  const whole = { ...baseEnv, ...env };
  // Windows finds `npx` only as npx.cmd, which the SDK's transport knows how to start; it has no process groups.
  if (process.platform === 'win32')
    return new StdioClientTransport({ command, args, env: whole, cwd: folder, stderr: 'ignore' });
  const program = new StdioTransport({ command, args, env: whole, cwd: folder, graceMs });
  onProgram(program);
  return program;
}

async function openAddress(options: OpenOptions): Promise<LiveClient> {
  const { config } = options.definition;
  const url = new URL(config.url ?? '');
  const authProvider = options.session?.bearer();
  const common = { requestInit: { headers: config.headers }, ...(authProvider && { authProvider }) };
  const sse = () => connect(new SSEClientTransport(url, common), 'legacy', options);
  if (config.transport === 'sse') return sse();
  try {
    return await connect(new StreamableHTTPClientTransport(url, common), 'auto', options);
  } catch (error) {
    // "Backwards compatibility" of the transport specification: a client error means the older transport.
    const isOlder = SdkHttpError.isInstance(error) && [400, 404, 405].includes(error.status);
    if (!isOlder || config.transport === 'http') throw error;
    return sse().catch(() => {
      throw error;
    });
  }
}

async function connect(
  transport: Transport,
  mode: 'legacy' | 'auto',
  options: OpenOptions,
): Promise<LiveClient> {
  const { connectMs } = options.definition.config.timeouts;
  const client = createClient(mode, options);
  try {
    await client.connect(transport, { timeout: connectMs, signal: options.signal });
    return { client, transport };
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
}

function createClient(mode: 'legacy' | 'auto', options: OpenOptions): Client {
  const { definition, elicit, roots, version, checker } = options;
  const settings: ClientOptions = {
    capabilities: {
      ...(elicit && { elicitation: { form: {}, url: {} } }),
      ...(roots.length > 0 && { roots: {} }),
    },
    versionNegotiation: { mode, probe: { timeoutMs: definition.config.timeouts.connectMs } },
    listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onToolsChanged() } },
    // Schemas and results both come from the server; the SDK's own validator would run any pattern for any time.
    jsonSchemaValidator: {
      getValidator: (schema) => (value) => {
        const problem = checker.check(value, schema as JsonObject); // it came as JSON
        return problem === undefined
          ? { valid: true, data: value as never, errorMessage: undefined } // has just been checked
          : { valid: false, data: undefined, errorMessage: problem };
      },
    },
  };
  const client = new Client({ name: 'crosspoint', version }, settings);
  if (elicit)
    client.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) =>
      answerElicitation(params, { server: definition.name, signal: mcpReq.signal, elicit }),
    );
  if (roots.length > 0)
    client.setRequestHandler('roots/list', () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(root).href })),
    }));
  return client;
}

import { Command } from 'commander';
import {
  type Config,
  ensureAdminToken,
  errnoOf,
  LOG_LEVELS,
  listGateways,
  type Override,
  registerGateway,
  unregisterGateway,
} from '../../config/index.ts';
import { GatewayError, omitUndefined } from '../../core/index.ts';
import { createLog } from '../../observe/log.ts';
import { createRedactor } from '../../observe/redact.ts';
import { openVault } from '../account-desk.ts';
import { type CreateCommand, examples, stdoutAnsi } from '../command.ts';
import type { CliContext, StartedGateway } from '../context.ts';
import { EXIT } from '../exit-codes.ts';
import { loadSettings, type Settings } from '../load-settings.ts';
import { parseUpstreamFlag, upstreamOverrides } from '../parse-upstream-flag.ts';
import { formatBanner } from '../serve-banner.ts';

export interface ServeFlags {
  readonly config?: string;
  readonly host?: string;
  readonly port?: string;
  readonly upstream?: readonly string[];
  readonly default?: string;
  readonly auth: boolean;
  readonly logLevel?: string;
}

export const serveCommand: CreateCommand = (context) =>
  new Command('serve')
    .summary('run the gateway')
    .description(
      'Runs the gateway. Without any configuration it offers the demo model, upstreams whose API keys are in the ' +
        'environment, and local model servers it finds on their usual ports.',
    )
    .option(
      '-c, --config <file>',
      'the configuration to use instead of ./crosspoint.yaml or ~/.config/crosspoint/',
    )
    .option('--host <host>', 'address to listen on (default 127.0.0.1)')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one (default 18741)')
    .option('-u, --upstream <name:kind=url>', 'add an upstream; may be repeated', collect)
    .option('-d, --default <model>', 'the model for requests that name none')
    .option('--no-auth', 'accept requests without a key, whatever the configuration says (loopback only)')
    .option('--log-level <level>', LOG_LEVELS.join(', '))
    .addHelpText(
      'after',
      examples(
        ['crosspoint serve', 'demo model, found keys and local servers'],
        ['crosspoint serve -u local:openai-chat=http://127.0.0.1:8000/v1', 'one OpenAI-compatible server'],
        ['crosspoint serve --config team.yaml --port 8443', 'a configuration of your own'],
        ['CROSSPOINT_SERVER_AUTH=keys crosspoint serve --host 0.0.0.0', 'for other machines, with keys'],
      ),
    )
    .action((flags: ServeFlags) => serve(context, flags));

function collect(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}

async function serve(context: CliContext, flags: ServeFlags): Promise<void> {
  const kinds = (await context.dialects()).kinds.map(({ kind }) => kind);
  const settings = await loadSettings(context, {
    configFile: flags.config,
    flags: serveOverrides(flags, kinds),
  });
  const { config, paths } = settings;
  const adminToken = await ensureAdminToken(paths);
  const secrets = [...settings.secrets, adminToken];
  const redactor = createRedactor(secrets);
  const log = createLog(omitUndefined({ ...config.log, redactor }));
  const { version, env, cwd: workspace } = context;
  const surroundings = { vault: openVault(context), workspace, env };
  const gateway = await context
    .startGateway({ config, paths, adminToken, version, log, secrets, redactor, ...surroundings })
    .catch(async (error: unknown) => {
      throw await explainStartFailure(context, settings, error);
    });
  const entry = { pid: context.pid, url: gateway.url, startedAt: new Date(context.nowMs()).toISOString() };
  // From the first request on, a signal must close gently: the banner may take its time.
  const closed = untilClosed(context, gateway);
  closed.catch(() => {}); // awaited below; it may fail while the banner is still being made
  try {
    await registerGateway(paths, entry, context.isAlive);
    context.stdout.write(await formatBanner({ gateway, settings, version, ansi: stdoutAnsi(context) }));
    await closed;
  } finally {
    await unregisterGateway(paths, entry, context.isAlive);
  }
}

export function serveOverrides(flags: ServeFlags, kinds: readonly string[]): Override[] {
  const overrides: Override[] = (flags.upstream ?? []).flatMap((written) =>
    upstreamOverrides(parseUpstreamFlag(written, kinds)),
  );
  const set = (flag: string, path: readonly string[], value: unknown) => {
    if (value !== undefined) overrides.push({ path, value, origin: { flag } });
  };
  set('--host', ['server', 'host'], flags.host);
  set('--port', ['server', 'port'], flags.port);
  set('--default', ['default'], flags.default);
  set('--no-auth', ['server', 'auth'], flags.auth ? undefined : 'none');
  set('--log-level', ['log', 'level'], flags.logLevel);
  return overrides;
}

/** The first signal closes gently: turns may finish. The second one means now. */
async function untilClosed(context: CliContext, gateway: StartedGateway): Promise<void> {
  let isClosing = false;
  let release = () => {};
  const closedBySignal = new Promise<void>((resolve, reject) => {
    release = context.onSignal(() => {
      if (isClosing) {
        context.exitNow(EXIT.interrupted);
        return;
      }
      isClosing = true;
      context.stderr.write('\nClosing; open turns may finish. Press Ctrl-C again to stop at once.\n');
      gateway.close().then(resolve, reject);
    });
  });
  await Promise.race([gateway.closed, closedBySignal]).finally(release);
}

async function explainStartFailure(
  context: CliContext,
  settings: Settings,
  error: unknown,
): Promise<GatewayError> {
  if (!hasErrno(error, 'EADDRINUSE')) return GatewayError.from(error);
  const { host, port } = settings.config.server;
  const owner = await findOwner(context, settings, settings.config);
  const who = owner
    ? `another Crosspoint runs there (process ${owner.pid}, since ${owner.startedAt}; see \`crosspoint status\`)`
    : 'another program listens there';
  return new GatewayError(
    'conflict',
    `Port ${port} on ${host} is taken: ${who}. Stop it, or choose another with --port.`,
    {
      cause: error,
    },
  );
}

async function findOwner(context: CliContext, { paths }: Settings, { server }: Config) {
  const running = await listGateways(paths, context.isAlive);
  return running.find(({ url }) => Number(new URL(url).port) === server.port);
}

function hasErrno(thrown: unknown, code: string): boolean {
  let current = thrown;
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (errnoOf(current) === code) return true;
    current = current.cause;
  }
  return false;
}

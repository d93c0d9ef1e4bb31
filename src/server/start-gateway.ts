// The composition root: configuration in, a listening gateway out. Nothing here is a singleton; tests start many.
import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Config,
  type CredentialVault,
  collectSecrets,
  isLoopbackHost,
  type StatePaths,
  storePath,
} from '../config/index.ts';
import { GatewayError, omitUndefined, randomId } from '../core/index.ts';
import type { Upstream, UpstreamOptions } from '../dialects/dialect.ts';
import { createFronts, createNativeFronts, UPSTREAM_KINDS } from '../dialects/index.ts';
import { openaiChatFront, openaiChatUpstream } from '../dialects/openai-chat/index.ts';
import { AgentRunner } from '../gateway/agent-runner.ts';
import { Gateway } from '../gateway/gateway.ts';
import { HeldTurns } from '../gateway/held-turns.ts';
import { type ListedModel, ModelRouter } from '../gateway/model-router.ts';
import { createNativeHosts, openedAfter } from '../gateway/native-host.ts';
import { TurnGate } from '../gateway/turn-gate.ts';
import { createLog, createMetrics, createRedactor, type Log, type Redactor } from '../observe/index.ts';
import { openStore, type Store } from '../store/index.ts';
import { createAdminRoutes, guardAdmin } from './admin/admin-routes.ts';
import type { AdminSource } from './admin/admin-source.ts';
import { createToolRoutes } from './admin/tool-routes.ts';
import { createAuthenticator } from './auth.ts';
import type { Exchange } from './exchange.ts';
import { createDialectErrors, createFrontRoutes } from './front-routes.ts';
import { createHealthRoutes } from './health.ts';
import { createHomeRoute } from './home-page.ts';
import { createHostCheck } from './host-check.ts';
import { type Listener, listen } from './listen.ts';
import { createModelRoutes } from './model-routes.ts';
import {
  createNativeRoutes,
  createUnknownServiceHandler,
  NativeDrain,
  type NativeRoutesOptions,
} from './native/index.ts';
import { createKeyRoutes } from './native/key-routes.ts';
import { createOpenApiRoute } from './openapi.ts';
import { createRouter, type Route } from './router.ts';
import { createNativeToolOptions } from './tool-service/native-tool-options.ts';
import { checkToolSections } from './tool-service/read-tool-sections.ts';
import type { ToolService } from './tool-service.ts';
import { createTurnObserver } from './turn-observer.ts';

export interface StartGatewayOptions {
  readonly config: Config;
  readonly paths: StatePaths;
  readonly adminToken: string;
  readonly version: string;
  readonly log?: Log;
  /** Strings that must appear in no log line and in no answer, beside those of the configuration. */
  readonly secrets?: readonly string[];
  /** The folder that `POST /api/tools/call` works on; without one the gateway runs no tools. */
  readonly workspace?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where credentials of logins are kept. */
  readonly vault?: CredentialVault | undefined;
  /** The log's own redactor, so that a secret learnt later disappears from it too. */
  readonly redactor?: Redactor;
}

export interface StartedGateway {
  readonly url: string;
  readonly port: number;
  models(): Promise<readonly ListedModel[]>;
  /** Lets open turns finish within the configured bound, then closes everything. */
  close(): Promise<void>;
  readonly closed: Promise<void>;
}

export async function startGateway(options: StartGatewayOptions): Promise<StartedGateway> {
  const { config, version, adminToken } = options;
  refuseOpenBind(config);
  await checkToolSections(config);
  const secrets = [...collectSecrets(config), ...(options.secrets ?? []), adminToken];
  const redactor = options.redactor ?? createRedactor();
  for (const secret of secrets) redactor.addSecret(secret);
  const log = options.log ?? createLog({ level: config.log.level, format: config.log.format, redactor });
  const metrics = createMetrics({ version });
  const store = await openConfiguredStore(config, options.paths);
  const upstreams = createUpstreams(config, { vault: options.vault, onSecret: redactor.addSecret });

  const router = new ModelRouter({
    upstreams,
    aliases: config.models,
    defaultModel: config.default ?? 'demo/demo',
    nowMs: Date.now,
  });
  const { limits } = config;
  const gate = new TurnGate({
    maxConcurrent: limits.maxConcurrentTurns,
    maxQueued: limits.maxQueuedTurns,
    queueTimeoutMs: limits.queueTimeoutMs,
  });
  const observer = createTurnObserver({
    log,
    metrics,
    journal: store.journal,
    redact: redactor.redact,
    onChange: () => {
      metrics.setLiveTurns(gate.running);
      metrics.setQueueLength(gate.queued);
    },
  });
  const gateway = new Gateway({
    router,
    gate,
    observer,
    documents: store.documents,
    newId: randomId,
    nowMs: Date.now,
    random: Math.random,
    sleep: async (ms, signal) => {
      await delay(ms, undefined, { signal });
    },
    retriesOf: (name) => config.upstreams[name]?.retries,
  });

  // Derived, so that logins outlive a restart and end when the admin token is replaced.
  const tokenSecret = createHmac('sha256', adminToken).update('crosspoint session tokens').digest();
  const authenticator = createAuthenticator({
    mode: config.server.auth,
    keys: store.keys,
    adminToken,
    clock: Date.now,
    tokenSecret,
    documents: store.documents,
  });
  let isDraining = false;
  let listener: Listener | undefined;
  const startedAtMs = Date.now();
  const source: AdminSource = {
    status: async () => ({
      version,
      startedAtMs,
      url: listener?.url ?? '',
      authMode: config.server.auth,
      isDraining,
      store: store.kind,
      defaultModel: config.default,
      liveTurns: gateway.liveTurns().length,
      queuedTurns: gate.queued,
      upstreams: upstreams.map(({ name, kind }) => ({ name, kind, ...observer.healthOf(name) })),
    }),
    models: () => router.list(),
    liveTurns: () => gateway.liveTurns(),
    recentTurns: (limit) => store.journal.recent(limit),
    cancelTurn: (turnId) => gateway.cancelTurn(turnId),
  };

  /** Where keys guard the gateway they guard its numbers too: upstream names are nobody else's business. */
  const authorizeMetrics = async ({ headers, remoteAddress }: Exchange) => {
    if (!authenticator.isAdmin(headers)) await authenticator.authenticate(headers, remoteAddress);
  };
  const onUnexpected = (thrown: unknown) => log.error({ err: thrown }, 'unexpected error');
  const fronts = createFronts({ byok: config.byok });
  const { http2, clientUpstreams, prompts, maxDepth, ...runLimits } = config.agent;
  const runner = new AgentRunner({
    gateway,
    router,
    defaultModel: config.default ?? 'demo/demo',
    clientKind: openaiChatUpstream,
    allowsClientUpstreams: clientUpstreams,
    limits: omitUndefined(runLimits),
    prompts: omitUndefined(prompts),
    maxDepth,
    pricesOf: (model) => config.models[model]?.prices && omitUndefined(config.models[model].prices),
    onSecret: redactor.addSecret,
    newId: randomId,
    nowMs: Date.now,
  });
  const hosts = createNativeHosts(runner, Date.now, createNativeToolOptions(config));
  const nativeFronts = createNativeFronts(hosts, {
    http2,
    onSwallowed: (method) => log.debug({ method }, 'a client’s telemetry was thrown away'),
  }).map((front) => openedAfter(hosts.load, front));
  const authenticate = (exchange: Exchange) =>
    authenticator.authenticate(exchange.headers, exchange.remoteAddress);
  let tools: Promise<ToolService> | undefined;
  const { workspace, env = {} } = options;
  const openTools = async (folder: string) => {
    const { openToolService } = await import('./tool-service.ts');
    const { createSubAgents } = await import('./tool-service/sub-agents.ts');
    const { policy, tools, mcp } = config;
    return openToolService({
      workspace: folder,
      stateHome: options.paths.home,
      policy,
      tools,
      mcp,
      env,
      version,
      subAgents: createSubAgents({ runner, service: requireTools, maxDepth, newId: randomId }),
    });
  };
  const requireTools = (): Promise<ToolService> => {
    if (!tools) throw new Error('A sub-agent runs before the tools are there.');
    return tools;
  };
  const toolRoutes =
    workspace === undefined
      ? []
      : createToolRoutes(() => {
          // What could not be opened (a damaged rules file) may be mended meanwhile; the next call tries again.
          tools ??= openTools(workspace).catch((error: unknown) => {
            tools = undefined;
            throw error;
          });
          return tools;
        });
  const drain = new NativeDrain();
  const nativeOptions: NativeRoutesOptions = {
    drain,
    authenticate,
    admit: authenticator.admit,
    documents: store.documents,
    newId: randomId,
    nowMs: Date.now,
    onDrift: observer.drift,
    redact: redactor.redact,
    onUnexpected,
    onStreamOpen: metrics.streamOpened,
    onStreamClose: metrics.streamClosed,
  };
  const answersUnknownService = createUnknownServiceHandler(nativeFronts, nativeOptions);
  const routes: Route[] = [
    ...createFrontRoutes(fronts, {
      gateway,
      documents: store.documents,
      admit: authenticator.admit,
      redact: redactor.redact,
      maxRequestBytes: limits.maxRequestBytes,
      maxResponseBytes: limits.maxResponseBytes,
      keepAliveMs: config.server.keepAliveMs,
      newId: randomId,
      nowMs: Date.now,
      onStreamOpen: metrics.streamOpened,
      onStreamClose: metrics.streamClosed,
      onUnexpected,
    }),
    ...createNativeRoutes(nativeFronts, nativeOptions),
    ...createKeyRoutes({
      authenticator,
      authMode: config.server.auth,
      tokenSecret,
      keys: store.keys,
      nowMs: Date.now,
      redact: redactor.redact,
      onUnexpected,
    }),
    ...createModelRoutes({ router, authenticate }),
    ...createAdminRoutes({ source, keys: store.keys, authenticator, onUnexpected }),
    ...toolRoutes.map((route) => guardAdmin(route, { authenticator, onUnexpected })),
    ...createHealthRoutes({
      isDraining: () => isDraining,
      checkStore: () => store.check(),
      metrics,
      ...(config.server.auth === 'keys' ? { authorizeMetrics } : {}),
    }),
    createHomeRoute({ version }),
  ];
  routes.push(createOpenApiRoute({ version, routes }));

  const hostCheck = createHostCheck({
    boundHost: config.server.host,
    authMode: config.server.auth,
    allowedHosts: config.server.allowedHosts,
    allowedOrigins: config.server.allowedOrigins,
  });
  const sendError = createDialectErrors(fronts, openaiChatFront);
  const route = createRouter({
    routes,
    sendError,
    onOptions: (exchange) => hostCheck.answerPreflight(exchange),
    onUnexpected,
  });
  try {
    listener = await listen({
      host: config.server.host,
      port: config.server.port,
      tls: await readTls(config),
      handler: async (exchange) => {
        try {
          hostCheck.check(exchange);
        } catch (thrown) {
          sendError(exchange, GatewayError.from(thrown));
          return;
        }
        if (!(await answersUnknownService(exchange))) await route(exchange);
      },
      onUnexpected,
    });
  } catch (error) {
    await closeAll(upstreams, store);
    throw error;
  }
  const { url, port } = listener;
  log.info({ url, upstreams: upstreams.map(({ name }) => name) }, `listening on ${url}`);

  let resolveClosed: () => void = () => {};
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  let closing: Promise<void> | undefined;
  const close = async () => {
    isDraining = true;
    try {
      drain.begin(config.server.shutdownGraceMs);
      await listener?.close(config.server.shutdownGraceMs);
      gateway.cancelAll();
      await (await tools?.catch(() => undefined))?.close();
      await closeAll(upstreams, store);
    } finally {
      metrics.close();
      log.info('closed');
      resolveClosed();
    }
  };
  return {
    url,
    port,
    models: () => router.list(),
    close: () => {
      closing ??= close();
      return closing;
    },
    closed,
  };
}

/** Law of the house: nobody opens the gateway to a network by accident. */
function refuseOpenBind({ server }: Config): void {
  if (server.auth === 'keys' || isLoopbackHost(server.host)) return;
  throw new GatewayError(
    'permission-denied',
    `Listening on ${server.host} lets other machines in, and no keys are required. Set server.auth: keys ` +
      '(CROSSPOINT_SERVER_AUTH=keys) and create one with `crosspoint keys create NAME`, or listen on 127.0.0.1.',
  );
}

function createUpstreams(config: Config, secrets: Pick<UpstreamOptions, 'vault' | 'onSecret'>): Upstream[] {
  return Object.entries(config.upstreams).map(([name, settings]) => {
    const kind = UPSTREAM_KINDS.find((known) => known.kind === settings.kind);
    if (!kind) {
      const known = UPSTREAM_KINDS.map((one) => one.kind).join(', ');
      throw new GatewayError(
        'invalid-request',
        `upstreams.${name}: there is no kind ${settings.kind}; use one of ${known}.`,
      );
    }
    const upstream = kind.create({ ...settings, ...secrets, name, newId: randomId });
    return kind.holdsTurns ? new HeldTurns(upstream) : upstream;
  });
}

function openConfiguredStore(config: Config, paths: StatePaths): Promise<Store> {
  const { kind } = config.store;
  if (kind === 'redis') {
    throw new GatewayError(
      'unimplemented',
      'store.kind redis is not part of this version; use sqlite or memory.',
    );
  }
  return openStore({ kind, path: storePath(config, paths) });
}

async function readTls({ server }: Config): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (!server.tls) return undefined;
  const read = async (name: 'cert' | 'key', path: string) => {
    try {
      return await readFile(path);
    } catch (cause) {
      throw new GatewayError('invalid-request', `server.tls.${name}: ${path} cannot be read.`, { cause });
    }
  };
  return { cert: await read('cert', server.tls.cert), key: await read('key', server.tls.key) };
}

async function closeAll(upstreams: readonly Upstream[], store: Store): Promise<void> {
  await Promise.all(upstreams.map((upstream) => upstream.close()));
  await store.close();
}

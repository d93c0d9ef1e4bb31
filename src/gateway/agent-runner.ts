// Runs agents on the gateway's own models: every step of the loop is an ordinary turn, whoever asked for the run.
import { type RunAgentOptions, runAgent, type TokenPrices } from '../agent/index.ts';
import type {
  AgentEvent,
  AgentTask,
  IdSource,
  RunLimits,
  ToolPort,
  TurnRequest,
  TurnResult,
} from '../core/index.ts';
import type { UpstreamKind } from '../dialects/dialect.ts';
import { AgentModel, type Caller } from './agent-model.ts';
import { type ClientUpstream, openClientUpstream } from './client-upstream.ts';
import { type Gateway, matchesModel } from './gateway.ts';
import type { ListedModel, ModelRouter } from './model-router.ts';

export interface AgentRunnerOptions {
  readonly gateway: Gateway;
  readonly router: ModelRouter;
  readonly defaultModel: string;
  /** The kind of server that clients may bring along. */
  readonly clientKind: UpstreamKind;
  readonly allowsClientUpstreams: boolean;
  readonly limits: RunLimits;
  readonly prompts: NonNullable<RunAgentOptions['prompts']>;
  readonly maxDepth: number;
  readonly pricesOf: (model: string) => TokenPrices | undefined;
  readonly onSecret: (secret: string) => void;
  readonly newId: IdSource;
  readonly nowMs: () => number;
}

export interface AgentJob {
  /** Who asked, as the journal knows it. */
  readonly front: string;
  readonly task: AgentTask;
  readonly tools: ToolPort;
  readonly clientUpstream?: ClientUpstream | undefined;
  readonly signal: AbortSignal;
}

/** Every log line is searched for every secret; beyond this many only the usual shapes of keys are found. */
const MAX_CLIENT_SECRETS = 1_000;

export class AgentRunner {
  readonly #options: AgentRunnerOptions;
  readonly #clientSecrets = new Set<string>();

  constructor(options: AgentRunnerOptions) {
    this.#options = options;
  }

  /** The loop over turns, with a client's own model where the operator allows it. */
  async *run(job: AgentJob, caller: Caller): AsyncGenerator<AgentEvent> {
    const { gateway, newId, nowMs, limits, prompts } = this.#options;
    const { task, tools, signal, front } = job;
    const upstream =
      job.clientUpstream &&
      openClientUpstream(job.clientUpstream, {
        isAllowed: this.#options.allowsClientUpstreams,
        kind: this.#options.clientKind,
        onSecret: (secret) => this.#learnSecret(secret),
        newId,
      });
    const windows = upstream ? new Map<string, number>() : await this.#contextWindows();
    const route = upstream && { name: task.model, targets: [{ upstream, model: task.model }] as const };
    try {
      yield* runAgent({
        task: { ...task, limits: { ...limits, ...task.limits } },
        model: new AgentModel({ gateway, newId, front, caller, route }),
        tools,
        signal,
        nowMs,
        newId,
        prompts,
        prices: (model) => this.#options.pricesOf(model || this.#options.defaultModel),
        contextWindow: (model) => windows.get(model),
        maxDepth: this.#options.maxDepth,
      });
    } finally {
      await upstream?.close();
    }
  }

  /** The models that this caller may use, the default one first. */
  async listModels({ allowedModels }: Caller): Promise<readonly ListedModel[]> {
    const listed = await this.#options.router.list();
    const usable = listed.filter(
      ({ id }) => allowedModels === undefined || allowedModels.some((pattern) => matchesModel(id, pattern)),
    );
    const { defaultModel } = this.#options;
    return usable.sort((a, b) => Number(b.id === defaultModel) - Number(a.id === defaultModel));
  }

  /** One turn beside a run: a title, a summary. */
  ask(front: string, request: TurnRequest, caller: Caller, signal: AbortSignal): Promise<TurnResult> {
    const { gateway, newId } = this.#options;
    return new AgentModel({ gateway, newId, front, caller }).ask(request, signal);
  }

  #learnSecret(secret: string): void {
    if (this.#clientSecrets.has(secret) || this.#clientSecrets.size >= MAX_CLIENT_SECRETS) return;
    this.#clientSecrets.add(secret);
    this.#options.onSecret(secret);
  }

  /** By every name a task may use: the listed one, the upstream's own, and none at all. */
  async #contextWindows(): Promise<ReadonlyMap<string, number>> {
    const windows = new Map<string, number>();
    for (const { id, upstream, contextWindow } of await this.#options.router.list()) {
      if (contextWindow === undefined) continue;
      windows.set(id, contextWindow);
      if (id.startsWith(`${upstream}/`)) windows.set(id.slice(upstream.length + 1), contextWindow);
      if (id === this.#options.defaultModel) windows.set('', contextWindow);
    }
    return windows;
  }
}

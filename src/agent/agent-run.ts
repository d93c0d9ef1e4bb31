import {
  type AgentCall,
  type AgentEvent,
  addUsage,
  type CallContext,
  type CallResult,
  GatewayError,
  invalidRequest,
  type Message,
  type Mode,
  NO_USAGE,
  type NoProgressKind,
  omitUndefined,
  type RunEndReason,
  type ToolDefinition,
  type TurnRequest,
  textOf,
  type Usage,
  userMessage,
} from '../core/index.ts';
import { buildRequest } from './build-request.ts';
import { findCallProblem } from './check-call.ts';
import { compactConversation } from './compaction.ts';
import { ContextMeter } from './context-meter.ts';
import { ProgressGuard } from './guards.ts';
import { judgeTurn } from './judge-turn.ts';
import { nameModel } from './name-model.ts';
import { closeAbandonedCalls, findOpenRound, type OpenRound, resultMessage } from './open-calls.ts';
import { composePrompt, DEFAULT_PROMPTS, type PromptTexts } from './prompts/index.ts';
import { runCalls } from './run-calls.ts';
import { DEFAULT_MAX_DEPTH, type RunAgentOptions } from './run-options.ts';
import type { RunTree } from './run-tree.ts';
import { runTurn } from './run-turn.ts';
import { runSubTask, type StartRun } from './sub-tasks.ts';
import { assistantMessage, type TurnOutcome } from './turn-watch.ts';
import { unlessAborted } from './unless-aborted.ts';

type RunEnd = Extract<AgentEvent, { type: 'run-end' }>;
type RoundContext = Pick<CallContext, 'signal' | 'onProgress'>;
type Steps = AsyncGenerator<AgentEvent, RunEnd | undefined, undefined>;

interface PlayedRound extends OpenRound {
  readonly step: number;
  readonly tools: readonly ToolDefinition[];
  /** What this step has added to the conversation already. */
  readonly added: readonly Message[];
  /** Calls that must not run, with what is answered instead. */
  readonly problems?: ReadonlyMap<AgentCall, CallResult>;
  readonly usage?: Usage;
}

export interface AgentRunOptions extends RunAgentOptions {
  readonly tree: RunTree;
  readonly startRun: StartRun;
}

/** One run: the conversation, and the steps that carry it on. It throws what ends it early. */
export class AgentRun {
  readonly #options: AgentRunOptions;
  readonly #texts: PromptTexts;
  readonly #guard: ProgressGuard;
  readonly #meter: ContextMeter;
  readonly #startedAtMs: number;
  #messages: readonly Message[];
  #mode: Mode;
  #step = 0;
  #usage = NO_USAGE;
  /** How often in a row the model was told that its answer was no answer. */
  #nudges = 0;
  #mustCompact = false;
  #hasOverflowed = false;

  constructor(options: AgentRunOptions) {
    const { task } = options;
    this.#options = options;
    this.#texts = { ...DEFAULT_PROMPTS, ...options.prompts };
    this.#guard = new ProgressGuard(options.guards);
    this.#meter = new ContextMeter(options.contextWindow?.(task.model));
    this.#startedAtMs = options.nowMs();
    this.#messages = closeAbandonedCalls(task.messages);
    this.#mode = task.mode;
    options.tree.ids.remember(this.#messages);
  }

  get usage(): Usage {
    return this.#usage;
  }

  async *steps(): AsyncGenerator<AgentEvent, RunEnd, undefined> {
    const { task, tree } = this.#options;
    tree.budget.requirePrices(task.model);
    const last = this.#messages.at(-1);
    if (!last) throw invalidRequest('The task has no messages; give what the user said.', 'messages');
    let end = yield* this.#settleOpenRound();
    // A finished conversation that is taken up again: the model has had its last word.
    if (this.#step === 0 && last.role === 'assistant') end = this.#end('done');
    while (!end) end = yield* this.#takeStep();
    return end;
  }

  /** A conversation that ends with open calls is taken up where it was left. */
  async *#settleOpenRound(): Steps {
    const round = findOpenRound(this.#messages);
    if (!round) return undefined;
    const step = ++this.#step;
    yield { type: 'step-start', step, mode: this.#mode };
    const tools = await this.#listTools();
    return yield* this.#playRound({ ...round, step, tools, added: [] });
  }

  async *#takeStep(): Steps {
    const { budget } = this.#options.tree;
    this.#options.signal.throwIfAborted();
    const hit = budget.findHit();
    if (hit) return this.#end(hit.reason, hit.explanation);
    if (this.#mustCompact || this.#meter.isFull(this.#messages)) yield* this.#compact();
    const step = ++this.#step;
    budget.countStep();
    yield { type: 'step-start', step, mode: this.#mode };
    const tools = await this.#listTools();
    const request = this.#request(tools);
    const outcome = yield* this.#runTurn(request);
    return yield* this.#settleTurn(step, outcome, tools);
  }

  async *#settleTurn(step: number, outcome: TurnOutcome, tools: readonly ToolDefinition[]): Steps {
    const { usage } = outcome;
    const verdict = judgeTurn(outcome, {
      model: this.#options.task.model,
      nudges: this.#nudges,
      mayCompact: !this.#hasOverflowed,
    });
    if (verdict.type === 'fail') throw verdict.error;
    if (verdict.type === 'compact') {
      this.#hasOverflowed = true;
      this.#mustCompact = true;
      yield { type: 'step-end', step, messages: [], usage };
      return undefined;
    }
    this.#hasOverflowed = false;
    const added: Message[] = verdict.answer.length > 0 ? [assistantMessage(verdict.answer)] : [];
    this.#messages = [...this.#messages, ...added];
    this.#meter.count(usage, this.#messages.length);
    if (verdict.type === 'calls') {
      this.#nudges = 0;
      this.#mustCompact = outcome.finishReason === 'context-full';
      const { problems } = verdict;
      const message = assistantMessage(verdict.answer);
      return yield* this.#playRound({ message, calls: outcome.calls, step, tools, added, problems, usage });
    }
    yield { type: 'step-end', step, messages: added, usage };
    if (verdict.type === 'end') return this.#end(verdict.reason, verdict.explanation);
    if (verdict.type === 'nudge') {
      this.#nudges++;
      yield this.#hint('no-change', verdict.message);
    }
    return undefined;
  }

  async *#runTurn(request: TurnRequest): AsyncGenerator<AgentEvent, TurnOutcome, undefined> {
    const { model, signal, tree } = this.#options;
    const outcome = yield* runTurn({ model, request, signal, ids: tree.ids });
    this.#countUsage(outcome.usage);
    signal.throwIfAborted();
    return outcome;
  }

  /** Runs the calls of one message and ends the step with their results. */
  async *#playRound({ message, calls, step, tools, added, problems, usage }: PlayedRound): Steps {
    const { tools: port, signal } = this.#options;
    yield omitUndefined({ type: 'round-open' as const, message, calls, usage });
    const results = yield* runCalls({
      calls,
      findProblem: (call) => problems?.get(call) ?? findCallProblem(call, tools, port),
      parallelOf: (call) => port.parallelOf(call),
      run: (call, context) => this.#runCall(call, context),
      signal,
    });
    const answer = resultMessage(calls, results);
    this.#messages = [...this.#messages, answer];
    yield omitUndefined({ type: 'step-end' as const, step, messages: [...added, answer], usage });
    return yield* this.#afterRound(calls, results);
  }

  async #runCall(call: AgentCall, context: RoundContext): Promise<CallResult> {
    const { tools, tree } = this.#options;
    try {
      const result = await tools.run(call, this.#callContext(context));
      if (result.mode) this.#mode = result.mode;
      return result;
    } catch (thrown) {
      if (!context.signal.aborted) tree.lost.cause ??= GatewayError.from(thrown);
      throw thrown;
    }
  }

  async *#afterRound(calls: readonly AgentCall[], results: readonly CallResult[]): Steps {
    if (results.some(({ endsRun }) => endsRun)) return this.#end('awaiting-user');
    const { tools } = this.#options;
    const verdict = this.#guard.judge(
      calls.flatMap((call, index) => {
        const result = results[index];
        if (!result) return [];
        // A failed call changed nothing that could be known; it may also be of a tool that the port does not have.
        return { call, result, isReadOnly: result.isError !== true && tools.isReadOnly(call) };
      }),
    );
    if (verdict?.type === 'stop') return this.#end('no-progress', verdict.explanation);
    if (verdict) yield this.#hint(verdict.kind, verdict.message);
    return undefined;
  }

  async *#compact(): AsyncGenerator<AgentEvent, void, undefined> {
    const { signal } = this.#options;
    yield { type: 'compaction-start', contextTokens: this.#meter.tokens(this.#messages) };
    const compacted = await compactConversation({
      messages: this.#messages,
      window: this.#meter.window(this.#messages, this.#mustCompact),
      summarise: (transcript) => this.#summarise(transcript),
      signal,
    });
    if (!compacted && this.#mustCompact) {
      throw new GatewayError(
        'context-overflow',
        `The conversation does not fit into the context window of ${nameModel(this.#options.task.model)}, and nothing in it can be shortened. Send less at once, or use a model with a larger window.`,
      );
    }
    this.#messages = compacted?.messages ?? this.#messages;
    this.#mustCompact = false;
    this.#meter.compacted(this.#messages);
    const summary = compacted?.summary ?? 'Nothing could be shortened.';
    yield { type: 'compaction-end', summary, messages: this.#messages };
  }

  async #summarise(transcript: string): Promise<string> {
    const { task, model, signal, tree } = this.#options;
    const request = buildRequest(task, this.#texts.compaction, [userMessage(transcript)], []);
    const turn = runTurn({ model, request, signal, ids: tree.ids });
    let next = await turn.next();
    while (!next.done) next = await turn.next(); // its events are nobody's but ours
    this.#countUsage(next.value.usage);
    signal.throwIfAborted();
    if (next.value.error) throw next.value.error;
    return textOf(next.value.content);
  }

  #request(tools: readonly ToolDefinition[]): TurnRequest {
    const { task } = this.#options;
    const system = composePrompt({
      task,
      mode: this.#mode,
      texts: this.#texts,
      startedAtMs: this.#startedAtMs,
    });
    this.#meter.setOverhead(system, tools);
    return buildRequest(task, system, this.#messages, tools);
  }

  #listTools(): Promise<readonly ToolDefinition[]> {
    const { tools, signal } = this.#options;
    return unlessAborted(tools.list(this.#mode, signal), signal);
  }

  #callContext(context: RoundContext): CallContext {
    const { task, maxDepth = DEFAULT_MAX_DEPTH } = this.#options;
    const base: CallContext = { ...context, mode: this.#mode };
    if ((task.depth ?? 0) >= maxDepth) return base;
    return {
      ...base,
      runSubTask: (subTask, signal) =>
        runSubTask({
          parent: this.#options,
          mode: this.#mode,
          subTask,
          signal: AbortSignal.any([context.signal, signal]),
          onProgress: context.onProgress,
          onUsage: (usage) => this.#addUsage(usage),
        }),
    };
  }

  /** Says something to the model that the user did not say. */
  #hint(kind: NoProgressKind, message: Message): AgentEvent {
    this.#messages = [...this.#messages, message];
    return { type: 'hint', kind, message };
  }

  /** What a turn of this run used. */
  #countUsage(usage: Usage): void {
    this.#options.tree.budget.countUsage(usage, this.#options.task.model);
    this.#addUsage(usage);
  }

  /** What this run or one below it used. */
  #addUsage(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#options.tree.onUsage?.(usage);
  }

  #end(reason: RunEndReason, explanation?: string): RunEnd {
    return omitUndefined({ type: 'run-end' as const, reason, usage: this.#usage, explanation });
  }
}

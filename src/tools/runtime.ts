// The life of a call: resolve the name, validate, mode, policy, approval, run, trim, result. Every channel that runs tools
// goes through here, so that no name, transport or sub-agent finds a way round the policy.
import { createHash } from 'node:crypto';
import { impliedArguments, MCP_TOOL_NUMBER } from '../catalogue/index.ts';
import { omitUndefined, randomId } from '../core/index.ts';
import { searchPolicy } from './builtin/search/forbidden-files.ts';
import { declareTools, type ToolDeclaration } from './declare-tools.ts';
import type { LifecycleEvent, ToolCall } from './envelope.ts';
import { type FeatureGates, findModeRefusal } from './modes.ts';
import { Resources } from './resources.ts';
import { CallQueue, type Ticket } from './runtime/call-queue.ts';
import { type Clearance, clearCall } from './runtime/clear-call.ts';
import { runInCall } from './runtime/current-call.ts';
import { describeProblems } from './runtime/describe-problems.ts';
import { DiscoveryBudget } from './runtime/discovery-budget.ts';
import { findFolderRefusal } from './runtime/find-folder-refusal.ts';
import { findOnServers } from './runtime/find-on-servers.ts';
import { findTool } from './runtime/find-tool.ts';
import { keepOutput } from './runtime/keep-output.ts';
import type { ToolRuntimeOptions } from './runtime/runtime-options.ts';
import { settleWithin } from './runtime/settle-within.ts';
import type { Mode, Risk, Tool } from './tool.ts';
import type { ToolContext } from './tool-context.ts';
import { type Attachments, fail, type ToolOutcome } from './tool-outcome.ts';

export type { ToolRuntimeOptions } from './runtime/runtime-options.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The call inside which this one is made, e.g. a sub-agent's; it does not wait for that call to end. */
  readonly parentId?: string;
  /** Instead of the runtime's own, for this call alone. */
  readonly mode?: Mode;
  /** When not empty, the only folders the call may write to; absolute. */
  readonly writableFolders?: readonly string[];
}

interface LedgerEntry {
  readonly text: string;
  readonly outcome: Promise<ToolOutcome>;
  readonly controller: AbortController;
  isDone: boolean;
}

/** Outcomes kept for calls that come again; older ones are forgotten. */
const MAX_LEDGER = 1_000;
const CANCEL_GRACE_MS = 2_000;
/** Running these twice would do something twice. */
const CHANGING: ReadonlySet<Risk> = new Set(['write', 'execute', 'network', 'interact']);

export function createToolRuntime(options: ToolRuntimeOptions): ToolRuntime {
  return new ToolRuntime(options);
}

export class ToolRuntime {
  readonly #options: ToolRuntimeOptions;
  readonly #resources: Resources;
  readonly #ledger = new Map<string, LedgerEntry>();
  readonly #queues = new Map<string, CallQueue>();
  readonly #listeners = new Set<(event: LifecycleEvent) => void>();
  readonly #budget: DiscoveryBudget;
  readonly #nowMs: () => number;
  #mode: Mode;
  #isClosed = false;

  constructor(options: ToolRuntimeOptions) {
    this.#options = options;
    this.#resources = options.resources ?? new Resources();
    this.#resources.set(searchPolicy, options.policy);
    this.#budget = new DiscoveryBudget(options.discoveryBudget);
    this.#nowMs = options.nowMs ?? Date.now;
    this.#mode = options.mode;
  }

  get mode(): Mode {
    return this.#mode;
  }

  /** Holds for calls that start from now on. */
  switchMode(mode: Mode): void {
    this.#mode = mode;
  }

  get tools(): readonly Tool[] {
    return this.#options.tools;
  }

  get gates(): FeatureGates {
    return this.#options.gates ?? {};
  }

  declare(): ToolDeclaration {
    const { gates, mcp, tools } = this.#options;
    return declareTools(this.#mode, gates ?? {}, mcp?.list() ?? [], tools);
  }

  subscribe(listener: (event: LifecycleEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Never throws: whatever goes wrong is an outcome. The same id again gives the same outcome and runs nothing. */
  call(call: ToolCall, options: CallOptions = {}): Promise<ToolOutcome> {
    const text = fingerprintOf(call);
    const earlier = this.#ledger.get(call.id);
    if (earlier) {
      if (earlier.text === text) return earlier.outcome;
      return Promise.resolve(fail('EINVAL', usedBefore(call)));
    }
    if (this.#isClosed)
      return Promise.resolve(fail('UNAVAILABLE', 'The tool runtime is closed; start a new one.'));
    const controller = new AbortController();
    const signals = options.signal ? [options.signal, controller.signal] : [controller.signal];
    const signal = AbortSignal.any(signals);
    const outcome = runInCall(call.id, () => this.#live(call, signal, options));
    const entry: LedgerEntry = { text, outcome, controller, isDone: false };
    this.#ledger.set(call.id, entry);
    void outcome.then(() => {
      entry.isDone = true;
      this.#forgetOldest();
    });
    return outcome;
  }

  /** False when there is no such call or it has ended. */
  cancel(callId: string): boolean {
    const entry = this.#ledger.get(callId);
    if (!entry || entry.isDone) return false;
    entry.controller.abort();
    return true;
  }

  /** Cancels what runs, waits for it, and puts every resource away. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#ledger.values()].filter((entry) => !entry.isDone);
    for (const entry of open) entry.controller.abort();
    await Promise.all(open.map((entry) => entry.outcome));
    await this.#resources.dispose();
    this.#listeners.clear();
  }

  async #live(call: ToolCall, signal: AbortSignal, options: CallOptions): Promise<ToolOutcome> {
    const startedAtMs = this.#nowMs();
    const head = { callId: call.id, name: call.name };
    this.#emit({ type: 'started', ...head, atMs: startedAtMs, args: call.args });
    const stopWatching = this.#watchApprovals(call);
    // Built-in tools are found without waiting: they take their places in the order in which calls came.
    const tool = this.#findBuiltin(call) ?? (await this.#findElsewhere(call, signal));
    const outcome =
      'ok' in tool
        ? tool
        : await this.#inTurn(call, tool, signal, options).catch((error) => failureOf(error, signal));
    stopWatching();
    const finished = this.#finish(outcome, 'ok' in tool ? undefined : tool, this.#nowMs() - startedAtMs);
    const toolNumber = 'ok' in tool ? MCP_TOOL_NUMBER : tool.number;
    this.#emit({ type: 'completed', ...head, atMs: this.#nowMs(), toolNumber, outcome: finished });
    return finished;
  }

  /** Permission to run is not all that a call may wait for: tools and servers ask the user things, too. */
  #watchApprovals(call: ToolCall): () => void {
    return this.#options.approvals.subscribe((event) => {
      if (event.type !== 'approval-requested' || event.approval.callId !== call.id) return;
      this.#emit({
        type: 'awaiting-approval',
        callId: call.id,
        name: call.name,
        atMs: this.#nowMs(),
        approvalId: event.approval.id,
        reason: event.approval.reason,
      });
    });
  }

  #findBuiltin(call: ToolCall): Tool | undefined {
    return findTool(call, this.#options.tools, this.#options.choose);
  }

  #findElsewhere(call: ToolCall, signal: AbortSignal): Promise<Tool | ToolOutcome> {
    const names = this.#options.tools.map((tool) => tool.name);
    return findOnServers(call.name, this.#options.mcp, names, signal).catch((error) =>
      failureOf(error, signal),
    );
  }

  /** The place in the queue is taken before anything is awaited: calls keep the order they came in. */
  async #inTurn(call: ToolCall, tool: Tool, signal: AbortSignal, options: CallOptions): Promise<ToolOutcome> {
    const { parentId = '', mode = this.#mode, writableFolders = [] } = options;
    const queue = this.#queues.get(parentId) ?? new CallQueue();
    this.#queues.set(parentId, queue);
    const ticket = queue.enter(tool.parallel, tool.name);
    let isHeld = false;
    try {
      const known = CHANGING.has(tool.risk) ? await this.#recall(call) : undefined;
      if (known) return known;
      const context = this.#context(call, signal, mode);
      // Some names say an argument: KillShell stops what BashOutput only reads.
      const parsed = await tool.args.safeParseAsync({ ...impliedArguments(call.name), ...call.args });
      if (!parsed.success) return fail('EINVAL', describeProblems(tool.name, parsed.error, call.args));
      const clearance = await this.#clear(call, tool, parsed.data, context, writableFolders);
      if ('ok' in clearance) return clearance;
      isHeld = true;
      return await this.#run({ call, tool, args: parsed.data, context, ticket, clearance });
    } finally {
      if (!isHeld) ticket.leave();
      this.#queues.delete(call.id); // children end with their parent
    }
  }

  /** The outcome of a call that began before this process did. */
  async #recall(call: ToolCall): Promise<ToolOutcome | undefined> {
    const record = await this.#options.ledger?.read(call.id);
    if (!record) return undefined;
    const isDamaged = record.fingerprint === '';
    if (!isDamaged && record.fingerprint !== fingerprintOf(call)) return fail('EINVAL', usedBefore(call));
    if (record.outcome) return record.outcome;
    return fail(
      'FAILED',
      `Call ${call.id} was begun before a restart and how it ended is not known. It was not run again; see what it did first.`,
    );
  }

  #clear(
    call: ToolCall,
    tool: Tool,
    args: unknown,
    context: ToolContext,
    writableFolders: readonly string[],
  ): Promise<Clearance | ToolOutcome> {
    const { policy, approvals, workspace, mcp, gates, onRule } = this.#options;
    const refuse = (touches: Clearance['touches']) =>
      findFolderRefusal(tool.name, touches, writableFolders) ??
      findModeRefusal(
        {
          tool,
          touches,
          isReadOnlyMcp: (server, name) => mcp?.facts({ server, tool: name })?.isReadOnly === true,
        },
        context.mode,
        gates ?? {},
      );
    return clearCall({
      call,
      tool,
      args,
      context,
      policy,
      approvals,
      refuse,
      policyContext: omitUndefined({
        policy,
        workspace,
        stateFolder: this.#options.stateFolder,
        ownFolder: this.#options.ownFolder,
        mcpFacts: mcp && ((server: string, name: string) => mcp.facts({ server, tool: name })),
      }),
      onRule,
    });
  }

  async #run(job: {
    readonly call: ToolCall;
    readonly tool: Tool;
    readonly args: unknown;
    readonly context: ToolContext;
    readonly ticket: Ticket;
    readonly clearance: Clearance;
  }): Promise<ToolOutcome> {
    const { call, tool, args, context, ticket, clearance } = job;
    let work: Promise<ToolOutcome> | undefined;
    try {
      await ticket.start(context.signal);
      const changed = await clearance.recheck();
      if (changed) return changed;
      context.signal.throwIfAborted();
      await clearance.begin();
      const record = CHANGING.has(tool.risk) ? this.#options.ledger : undefined;
      await record?.write(call.id, { fingerprint: fingerprintOf(call) });
      this.#emit({ type: 'running', callId: call.id, name: call.name, atMs: this.#nowMs() });
      work = tool.run(args, context);
      const outcome = await settleWithin(
        work,
        context.signal,
        this.#options.cancelGraceMs ?? CANCEL_GRACE_MS,
      );
      const { stateFolder, maxContentCharacters } = this.#options;
      const kept = await keepOutput(outcome, {
        callId: call.id,
        stateFolder,
        maxCharacters: maxContentCharacters,
      });
      await record?.write(call.id, { fingerprint: fingerprintOf(call), outcome: kept });
      return kept;
    } finally {
      // A tool that outlives its cancellation keeps its place, so that nothing runs beside what must be alone.
      if (work) void work.catch(() => undefined).then(() => ticket.leave());
      else ticket.leave();
    }
  }

  #context(call: ToolCall, signal: AbortSignal, mode: Mode): ToolContext {
    const { workspace, stateFolder, env, newId } = this.#options;
    return {
      callId: call.id,
      workspace,
      mode,
      signal,
      resources: this.#resources,
      nowMs: this.#nowMs,
      newId: newId ?? randomId,
      stateFolder,
      env: env ?? {},
      progress: (progress) =>
        this.#emit({ type: 'progress', callId: call.id, name: call.name, atMs: this.#nowMs(), progress }),
    };
  }

  #finish(outcome: ToolOutcome, tool: Tool | undefined, durationMs: number): ToolOutcome {
    const reminders = tool && outcome.ok ? this.#remind(tool) : {};
    const details = outcome.ok ? undefined : { code: outcome.error.code, message: outcome.error.message };
    const attachments = {
      duration_ms: durationMs,
      ...reminders,
      ...omitUndefined({ error_details: details }),
      ...outcome.attachments,
    };
    return { ...outcome, attachments };
  }

  /** One at a time: a model that searches too long is told that first. */
  #remind(tool: Tool): Attachments {
    const ofList = this.#options.remind?.(tool);
    return { ...omitUndefined({ todo_reminder: ofList }), ...this.#budget.attach(tool.risk) };
  }

  #forgetOldest(): void {
    for (const [id, entry] of this.#ledger) {
      if (this.#ledger.size <= MAX_LEDGER) return;
      if (entry.isDone) this.#ledger.delete(id);
    }
  }

  #emit(event: LifecycleEvent): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(event);
      } catch {
        // Whoever watches must not be able to break what is watched.
      }
    }
  }
}

function usedBefore({ id }: ToolCall): string {
  return `Call id ${id} was used before with other arguments; give every call an id of its own.`;
}

function fingerprintOf(call: ToolCall): string {
  return createHash('sha256')
    .update(JSON.stringify([call.name, call.args]))
    .digest('hex');
}

/** A failure that is not an outcome is a mistake of the tool; the model gets its message all the same. */
function failureOf(error: unknown, signal: AbortSignal): ToolOutcome {
  if (signal.aborted)
    return fail('ECANCELED', 'The call was cancelled before it finished; what it had done stays done.');
  return fail('FAILED', `The tool failed: ${error instanceof Error ? error.message : String(error)}`);
}

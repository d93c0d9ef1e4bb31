// One stream of agent.v1: from its first message to `turn_ended`. The order is the one that clients rely on: the context
// is asked for, what the user said is stored and checkpointed, then the model speaks, and every round of calls has a
// checkpoint before and after it.
import { create } from '@bufbuild/protobuf';
import { GatewayError, invalidRequest } from '../../../core/index.ts';
import type { ConversationAction } from '../../../gen/agent/v1/conversation_action_pb.ts';
import { ForceBackgroundShellArgsSchema } from '../../../gen/agent/v1/exec_shell_pb.ts';
import type { AgentRunRequest } from '../../../gen/agent/v1/run_pb.ts';
import type { MessageChannel, NativeContext } from '../../native-front.ts';
import type { Timers } from '../../upstream-timers.ts';
import type { AgentHost } from './agent-host.ts';
import { ClientInbox } from './client-inbox.ts';
import { ClientLink } from './client-link.ts';
import { type Commission, decodeAction, type SayCommission } from './commission.ts';
import { converse } from './converse.ts';
import { countUnknown } from './count-unknown.ts';
import type { LiveRuns } from './live-runs.ts';
import { prepareRun } from './prepare-run.ts';
import { QueuedWords } from './queued-words.ts';
import { type RunSetup, readSetup, setUpRun } from './run-setup.ts';
import { runUserCommand } from './run-user-command.ts';
import { say } from './say.ts';
import { injectionUpdate, type UpdateInit, updateFrame } from './server-frames.ts';
import { summarizeConversation } from './summarize-conversation.ts';

export interface SessionOptions {
  readonly host: AgentHost;
  readonly timers: Timers;
  readonly liveRuns: LiveRuns;
}

export class RunSession {
  readonly #link: ClientLink;
  readonly #channel: MessageChannel;
  readonly #liveRuns: LiveRuns;
  readonly #inbox: ClientInbox;
  readonly #queue = new QueuedWords();
  /** What came before the run had begun: the action that a prewarm request announces, and what follows it. */
  #early: (ConversationAction | AgentRunRequest)[] | undefined = [];
  #onEarly = () => {};
  #hasInputEnded = false;

  constructor(channel: MessageChannel, context: NativeContext, options: SessionOptions) {
    this.#channel = channel;
    this.#liveRuns = options.liveRuns;
    this.#link = new ClientLink(channel, context, options.host, options.timers);
    const { exec, query, kv } = this.#link;
    this.#inbox = new ClientInbox({
      channel,
      exec,
      query,
      kv,
      onAction: (action) => this.#receiveAction(action),
      onEnd: () => {
        this.#hasInputEnded = true;
        this.#onEarly();
      },
      onFault: (error) => this.#link.stop(error),
      onDrift: context.onDrift,
    });
  }

  /** Resolves when the stream has ended well; throws what it ends with otherwise. */
  async serve(): Promise<void> {
    const link = this.#link;
    const gone = AbortSignal.any([this.#channel.signal, link.context.signal]);
    const onGone = () => link.lose();
    gone.addEventListener('abort', onGone, { once: true });
    if (gone.aborted) onGone();
    void this.#inbox.read(); // never rejects; ends with the stream
    try {
      const first = readSetup(await link.unlessStopped(this.#inbox.first));
      const setup = first.action ? { ...first, action: first.action } : await this.#awaitAction(first);
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const later of early) this.#receiveAction(later);
      await this.#begin(setup, setup.action);
    } catch (thrown) {
      throw link.fault ?? GatewayError.from(thrown);
    } finally {
      gone.removeEventListener('abort', onGone);
      link.close();
    }
  }

  async #begin(setup: RunSetup, action: ConversationAction): Promise<void> {
    const commission = decodeAction(action);
    const { onDrift } = this.#link.context;
    const parts = commission.type === 'say' ? commission.messages : [];
    for (const part of [setup.request, action, ...parts]) countUnknown(part, onDrift);
    if (commission.type === 'cancel') return; // nothing is under way
    if (commission.type === 'refused') throw invalidRequest(commission.reason, 'action');
    if (commission.type === 'background-shell') {
      throw invalidRequest(
        'No command runs in this stream; send the background_shell_action in the stream of its run.',
        'action',
      );
    }
    if (commission.type === 'say' && commission.messages.length === 0) {
      throw invalidRequest('The action holds no message; send user_message with a text.', 'user_message');
    }
    const leave = await this.#replaceOlderRun(setup);
    try {
      this.#link.check();
      await this.#run(setup, action, commission);
    } finally {
      leave();
    }
  }

  async #run(setup: RunSetup, action: ConversationAction, commission: Commission): Promise<void> {
    const run = await prepareRun(this.#link, setup, action, commission);
    if (commission.type === 'say' && !run.isAgain) {
      await say(commission, run);
      run.checkpoints.runStart = run.conversation.length;
    } else await run.conversation.turns.resume();
    run.blobs.forgetGiven();
    if (run.conversation.messages.length === 0 && commission.type === 'resume') {
      const where = `the conversation ${JSON.stringify(setup.conversationId)}`;
      throw invalidRequest(
        `Nothing is known of ${where}; begin it with a user_message_action.`,
        'conversation_state',
      );
    }
    if (commission.type === 'summarize' && !run.isAgain) await summarizeConversation(run);
    else if (commission.type === 'shell') await runUserCommand(commission, run);
    else await converse(run, this.#queue);
  }

  /** A client that comes again before we have seen it leave: the older run of the same request ends first. */
  async #replaceOlderRun({ conversationId }: RunSetup): Promise<() => void> {
    const { headers, owner } = this.#link.context;
    const originalId = headers['x-original-request-id'] ?? headers['x-request-id'];
    if (originalId === undefined) return () => {};
    const key = JSON.stringify([owner, conversationId, originalId]);
    const fault = new GatewayError(
      'cancelled',
      'The client made the same request again; this run gave way to it.',
    );
    return await this.#liveRuns.takeOver(key, () => this.#link.stop(fault));
  }

  /** A prewarmed stream waits for what it was warmed for. */
  async #awaitAction(setup: RunSetup): Promise<RunSetup & { readonly action: ConversationAction }> {
    const come = new Promise<void>((resolve) => {
      this.#onEarly = resolve;
    });
    if (this.#early?.length === 0 && !this.#hasInputEnded) await this.#link.unlessStopped(come);
    const next = this.#early?.shift();
    if (!next) throw invalidRequest('The stream ended without an action; send a user_message_action.');
    return next.$typeName === 'agent.v1.AgentRunRequest' ? setUpRun(next) : { ...setup, action: next };
  }

  #receiveAction(action: ConversationAction | AgentRunRequest): void {
    if (this.#early) {
      this.#early.push(action);
      this.#onEarly();
      return;
    }
    if (action.$typeName === 'agent.v1.AgentRunRequest') {
      this.#link.context.onDrift('run_request inside a run');
      return;
    }
    const commission = decodeAction(action);
    switch (commission.type) {
      case 'cancel':
        this.#link.stop(new GatewayError('cancelled', commission.reason || 'The run was cancelled.'));
        return;
      case 'say':
        this.#queueWords(commission);
        return;
      case 'background-shell': {
        const value = create(ForceBackgroundShellArgsSchema, { toolCallId: commission.toolCallId });
        const args = { case: 'forceBackgroundShellArgs' as const, value };
        // The command itself answers that it went to the background; a client that cannot do it lets it run on.
        this.#link.exec.request(args, { signal: this.#link.signal }).catch(() => {});
        return;
      }
      case 'refused':
        this.#post({
          case: 'textDelta',
          value: { text: `\n\n${commission.reason}\n\n`, isServerNotice: true },
        });
        return;
      default:
        this.#link.context.onDrift(`conversation_action ${commission.type} inside a run`);
    }
  }

  #queueWords(commission: SayCommission): void {
    const isQueued = this.#queue.add(commission);
    const { injectionId } = commission;
    if (!isQueued) this.#link.context.onDrift('words that came too late, or too many');
    if (injectionId === undefined) return;
    const reason = 'This run takes no more messages; send it again when the run is over.';
    this.#post(
      injectionUpdate(
        injectionId,
        isQueued ? { case: 'queued', value: {} } : { case: 'rejected', value: { reason } },
      ),
    );
  }

  #post(update: UpdateInit): void {
    this.#link.outbox.post(updateFrame(update));
  }
}

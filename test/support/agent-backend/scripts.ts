// Ready-made conversations for the simulated backend. A script is a function of the run; tests may write their own.
import type { BackendRun, ExecArgs, ExecCall, ExecOutcome } from './backend-run.ts';
import { issueCalls, pendingCalls, type ScriptedCall, settleCalls } from './tool-calls.ts';

export type AgentScript = (run: BackendRun) => Promise<unknown>;

export interface PlainChatOptions {
  readonly text?: readonly string[];
  readonly thinking?: readonly string[];
  /** False: the stream ends well, but the turn was never said to be over. */
  readonly hasTurnEnd?: boolean;
}

const USAGE = { inputTokens: 812n, outputTokens: 64n, cacheReadTokens: 512n };

/** Context, blobs, thinking, text, checkpoint, end: what nearly every turn looks like. */
export function plainChat(options: PlainChatOptions = {}): AgentScript {
  return async (run) => {
    await run.requestContext();
    const prompt = await run.setBlob(JSON.stringify({ role: 'user', content: run.prompt }));
    await run.update({ case: 'stepStarted', value: { stepId: 1n } });
    if (options.thinking) await run.thinking(...options.thinking);
    await run.text(...(options.text ?? ['Hello', ', world.']));
    await run.tokens(4);
    await run.update({ case: 'stepCompleted', value: { stepId: 1n, stepDurationMs: 20n } });
    await finishTurn(run, [prompt], options.hasTurnEnd !== false);
  };
}

/** Calls tools of the client, each inner list in parallel, then answers with what they brought. */
export function toolChat(
  rounds: readonly (readonly ScriptedCall[])[],
  answer: (results: readonly string[]) => string = (results) => `Results: ${results.join(' | ')}`,
): AgentScript {
  return async (run) => {
    const results: string[] = [];
    await run.requestContext();
    if (run.isResumed) {
      const calls = pendingCalls(run);
      const execs = await issueCalls(run, calls, { isAnnounced: false });
      results.push(...(await settleCalls(run, calls, execs)));
      const settled = rounds.findIndex((round) => round[0]?.callId === calls[0]?.callId);
      await playRounds(run, rounds.slice(settled + 1), results);
    } else {
      await run.setBlob(JSON.stringify({ role: 'user', content: run.prompt }));
      await playRounds(run, rounds, results);
    }
    await run.text(answer(results));
    await finishTurn(run, []);
  };
}

/** Runs built-in execs one after the other, then tells how each was answered. */
export function execChat(execs: readonly ExecArgs[]): AgentScript {
  return async (run) => {
    const outcomes: string[] = [];
    for (const args of execs) {
      const call = await run.exec(args);
      outcomes.push(describeOutcome(await lastOutcome(call)));
      await call.closed();
    }
    await run.text(outcomes.join(', '));
    await finishTurn(run);
  };
}

/** A shell stream is many events; its end is the answer. */
async function lastOutcome(call: ExecCall): Promise<ExecOutcome> {
  const ongoing = new Set<string | undefined>(['start', 'stdout', 'stderr']);
  for (;;) {
    const outcome = await call.outcome();
    if ('case' in outcome || outcome.message.case !== 'shellStream') return outcome;
    if (!ongoing.has(outcome.message.value.event.case)) return outcome;
  }
}

function describeOutcome(outcome: ExecOutcome): string {
  if ('case' in outcome) return `throw: ${outcome.value.error}`;
  const { message } = outcome;
  if (message.case === 'shellStream') return `shellStream ${message.value.event.case}`;
  const result = message.value !== undefined && 'result' in message.value ? message.value.result : undefined;
  const kind = typeof result === 'object' && result !== null && 'case' in result ? ` ${result.case}` : '';
  return `${message.case}${kind}`;
}

/** Never says anything. */
export const silent: AgentScript = (run) => run.untilClosed();

/** Beats once for every beat of the client and does nothing else. */
export const heartbeatsOnly: AgentScript = async (run) => {
  for (;;) {
    await run.inbox.take(({ message }) => message.case === 'clientHeartbeat');
    await run.heartbeat();
  }
};

/** Stores and reads back many blobs before a word is said. */
export function kvStorm(count: number): AgentScript {
  return async (run) => {
    const ids = await Promise.all(Array.from({ length: count }, (_, index) => run.setBlob(`blob ${index}`)));
    const blobs = await Promise.all(ids.map((id) => run.getBlob(id)));
    const whole = blobs.filter((blob, index) => Buffer.from(blob ?? []).toString() === `blob ${index}`);
    await run.text(`${whole.length} blobs`);
    await finishTurn(run, ids);
  };
}

async function playRounds(
  run: BackendRun,
  rounds: readonly (readonly ScriptedCall[])[],
  results: string[],
): Promise<void> {
  for (const calls of rounds) {
    const execs = await issueCalls(run, calls);
    results.push(...(await settleCalls(run, calls, execs)));
  }
}

export async function finishTurn(
  run: BackendRun,
  blobs: readonly Uint8Array[] = [],
  hasTurnEnd = true,
): Promise<void> {
  await run.checkpoint({
    rootPromptMessagesJson: [...blobs],
    tokenDetails: { usedTokens: 876, maxTokens: 200_000 },
    mode: 1,
  });
  if (hasTurnEnd) await run.turnEnded(USAGE);
  await run.end();
}

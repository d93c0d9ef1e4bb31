import { type TurnRequest, textOf } from '../../../core/index.ts';
import type { NativeContext } from '../../native-front.ts';
import { REAL_TIMERS, type Timers } from '../../upstream-timers.ts';
import type { AgentHost } from '../front/agent-host.ts';

export interface Question {
  readonly system: string;
  readonly text: string;
  readonly maxOutputTokens: number;
  readonly timeoutMs: number;
}

/** One short answer of the default model, or undefined when it does not come in time, fails or is empty. */
export async function askModel(
  host: AgentHost,
  question: Question,
  context: NativeContext,
  timers: Timers = REAL_TIMERS,
): Promise<string | undefined> {
  const timeout = new AbortController();
  const cancel = timers.after(question.timeoutMs, () => timeout.abort());
  const signal = AbortSignal.any([context.signal, timeout.signal]);
  const request: TurnRequest = {
    model: '',
    messages: [
      { role: 'system', content: [{ type: 'text', text: question.system }] },
      { role: 'user', content: [{ type: 'text', text: question.text }] },
    ],
    tools: [],
    sampling: { maxOutputTokens: question.maxOutputTokens },
    stream: false,
  };
  try {
    const { content, error } = await untilAborted(host.runTurn(request, { ...context, signal }), signal);
    if (error) return undefined;
    return textOf(content).trim() || undefined;
  } catch {
    return undefined; // these answers are a courtesy; their callers know a plainer one
  } finally {
    cancel();
  }
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted(); // an abort of the past is not told again
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

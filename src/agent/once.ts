import type { AgentCall, CallResult, ToolPort } from '../core/index.ts';
import { errorResult } from './check-call.ts';

export type CallState =
  | { readonly state: 'new' }
  /** It began, and nobody knows how it ended. */
  | { readonly state: 'interrupted' }
  | { readonly state: 'done'; readonly result: CallResult };

/**
 * Remembers which calls of a conversation ran. A call is known by its id and its argument text, both as they came; an
 * entry may be forgotten once the stored conversation holds the result.
 */
export interface CallLedger {
  /** Notes that the call begins, before it does, and says what was known of it. */
  begin(call: AgentCall): Promise<CallState>;
  finish(call: AgentCall, result: CallResult): Promise<void>;
}

/** The same tools, each call at most once: through retries, reconnects and restarts, as far as the ledger reaches. */
export function runOnce(port: ToolPort, ledger: CallLedger): ToolPort {
  return {
    list: (mode, signal) => port.list(mode, signal),
    knows: (name) => port.knows?.(name) ?? false,
    parallelOf: (call) => port.parallelOf(call),
    isReadOnly: (call) => port.isReadOnly(call),
    run: async (call, context) => {
      // A run that is over must leave no trace of a call that never began.
      context.signal.throwIfAborted();
      const known = await ledger.begin(call);
      if (known.state === 'done') return known.result;
      if (known.state === 'interrupted' && !port.isReadOnly(call)) {
        const result = unknownOutcome(call);
        await ledger.finish(call, result);
        return result;
      }
      context.signal.throwIfAborted();
      // A rejection leaves the entry as it is, begun and not finished: that is what `interrupted` means.
      const result = await port.run(call, context);
      await ledger.finish(call, result);
      return result;
    },
  };
}

function unknownOutcome(call: AgentCall): CallResult {
  return errorResult(
    `The connection was lost while this call to ${call.name} ran. It is unknown whether it took effect; check before repeating it.`,
  );
}

// The client's tools as the loop sees them: a call goes out on the stream, its result comes back by its id.
import type { AgentCall, CallResult, Mode, ToolPort } from '../../core/index.ts';
import { omitUndefined } from '../../core/index.ts';
import type { ClientSideToolV2Result } from '../../gen/aiserver/v1/client_side_tool_pb.ts';
import type { ToolMessages } from './aiserver-host.ts';
import type { CallWriter } from './call-writer.ts';
import { modeNamed } from './decode-mode.ts';
import { decodeOutcome } from './decode-tool-result.ts';
import type { ResultDesk } from './result-desk.ts';
import type { ToolShelf } from './tool-shelf.ts';

/** Tools that wait for a person: plans, questions, mode switches, signing in. */
const WAITS_FOR_USER: ReadonlySet<number> = new Set([43, 51, 52, 60]);

/** How much longer than the client we wait: it ends the call itself when its time is up. */
const GRACE_MS = 30_000;

export interface ClientToolsOptions {
  readonly shelf: ToolShelf;
  readonly calls: CallWriter;
  readonly desk: ResultDesk;
  readonly messages: ToolMessages;
  readonly callTimeoutMs: number;
  readonly onDrift: (kind: string) => void;
}

export function createClientTools(options: ClientToolsOptions): ToolPort {
  const { shelf, calls, desk, messages, onDrift } = options;
  return {
    list: async (mode) => shelf.list(mode),
    async run(call, context) {
      const tool = shelf.find(call.name);
      if (tool === undefined) return failure(`The client has no tool named ${call.name}.`);
      const read = shelf.readArguments(tool, call);
      if (!read.ok) {
        await calls.refuse(call.callId, read.message);
        return failure(read.message);
      }
      const timeoutMs = WAITS_FOR_USER.has(tool.number) ? undefined : options.callTimeoutMs;
      const prepared = await calls.prepare({ call, tool, args: read.args, timeoutMs });
      const { wireId, lost } = prepared;
      if (!prepared.canBeRun) {
        const text = `The client has no way to be told ${lost.join(', ')} of ${call.name}; use another tool.`;
        await calls.refuse(call.callId, text);
        return failure(text);
      }
      // Asked for before the call leaves, so that no answer can be too quick.
      const answer = desk.await(wireId, {
        number: tool.number,
        signal: context.signal,
        timeoutMs: timeoutMs === undefined ? undefined : timeoutMs + GRACE_MS,
      });
      answer.catch(() => undefined); // awaited below; a refusal before that is no stray one
      // A run that was called off meanwhile sends nothing; the answer says so.
      if (!context.signal.aborted) await prepared.send();
      const result = await answer;
      if (result === undefined) return failure(timeoutText(call, options.callTimeoutMs));
      const { content, isError } = decodeOutcome(result, { messages, onDrift });
      const notes = lost.length === 0 ? [] : [{ type: 'text' as const, text: lostText(lost) }];
      return omitUndefined({
        content: [...content, ...notes],
        isError: isError || undefined,
        ...consequences(result),
      });
    },
    parallelOf: (call) => shelf.find(call.name)?.parallel ?? 'alone',
    isReadOnly: (call) => shelf.find(call.name)?.isReadOnly === true,
  };
}

interface Consequences {
  readonly mode?: Mode;
  readonly endsRun?: boolean;
}

/** What a result means for the run beyond what the model reads. */
function consequences({ result }: ClientSideToolV2Result): Consequences {
  switch (result.case) {
    case 'switchModeResult': {
      const { userApproved, autoApproved, toModeId } = result.value;
      const mode = modeNamed(toModeId);
      return (userApproved || autoApproved) && mode ? { mode } : {};
    }
    case 'askQuestionResult':
      return result.value.isAsync ? { endsRun: true } : {};
    case 'createPlanResult':
      return result.value.result.case === 'rejected' ? { endsRun: true } : {};
    case 'editFileResult':
      return result.value.humanReview?.stopAndGetNewUserInput ? { endsRun: true } : {};
    default:
      return {};
  }
}

function failure(text: string): CallResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function timeoutText({ name }: AgentCall, timeoutMs: number): string {
  return `The client did not answer this call to ${name} within ${Math.round(timeoutMs / 1000)} s. It is unknown whether it took effect; check before repeating it.`;
}

function lostText(lost: readonly string[]): string {
  return `[The client has no way to be told ${lost.join(', ')}; the call was run without.]`;
}

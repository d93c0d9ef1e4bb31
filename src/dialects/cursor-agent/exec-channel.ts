// The exec channel: the backend asks the client to do something, and waits until it is answered and closed.
// Calls of the caller's tools become pending; everything else is answered at once, an unknown exec with a throw.
import type { IdSource, ToolResultPart } from '../../core/index.ts';
import type { ExecServerMessage } from '../../gen/agent/v1/exec_pb.ts';
import type { McpArgs } from '../../gen/agent/v1/mcp_pb.ts';
import type { RequestContext } from '../../gen/agent/v1/request_context_pb.ts';
import type { AgentClientMessage } from '../../gen/agent/v1/run_pb.ts';
import type { AgentTools } from './agent-tools.ts';
import { findCallerTool } from './builtin/find-caller-tool.ts';
import { readBuiltin } from './builtin/read-builtin.ts';
import { mcpAnswer, outcomeOf } from './call-outcome.ts';
import { answerFrames, type ExecAnswer, throwFrames } from './client-frames.ts';
import { decodeArguments } from './decode-arguments.ts';
import type { KnownResults } from './known-results.ts';
import type { PendingCall } from './pending-call.ts';
import { refusalReason, refuseExec } from './refuse-exec.ts';

export interface ExecChannelOptions {
  readonly tools: AgentTools;
  readonly context: RequestContext;
  readonly known: KnownResults;
  /** Ids of all calls of the turn: a client must never see one twice. */
  readonly usedCallIds: Set<string>;
  readonly newId: IdSource;
}

export interface ExecStep {
  readonly frames: readonly AgentClientMessage[];
  /** The backend's id of the call that this exec runs, or runs a part of; absent when it has none. */
  readonly toolCallId?: string;
  /** The caller has to run this one. */
  readonly call?: PendingCall;
  /** The numbers of what this version does not know. */
  readonly unknownFields?: readonly number[];
}

const NOTHING: ExecStep = { frames: [] };

export class ExecChannel {
  readonly #options: ExecChannelOptions;
  readonly #pending = new Map<string, PendingCall>();
  readonly #seen = new Set<string>();
  readonly #edits = new Set<string>();

  constructor(options: ExecChannelOptions) {
    this.#options = options;
  }

  get pendingCalls(): readonly PendingCall[] {
    return [...this.#pending.values()];
  }

  /** The backend said that this call is an edit: its reads and writes are halves of one action. */
  noteEdit(callId: string): void {
    if (callId !== '') this.#edits.add(callId);
  }

  receive(exec: ExecServerMessage): ExecStep {
    const toolCallId = toolCallIdOf(exec);
    const step = this.#receive(exec);
    return toolCallId === undefined || step === NOTHING ? step : { ...step, toolCallId };
  }

  #receive(exec: ExecServerMessage): ExecStep {
    const key = `${exec.id} ${exec.execId}`;
    if (this.#seen.has(key)) return NOTHING; // a frame that came twice asks for one answer
    this.#seen.add(key);
    const { tools, context } = this.#options;
    const { message } = exec;
    if (message.case === 'requestContextArgs') {
      const value = { result: { case: 'success' as const, value: { requestContext: context } } };
      return { frames: answerFrames(exec, [{ case: 'requestContextResult', value }]) };
    }
    if (message.case === 'mcpArgs') return this.#receiveCall(exec, message.value);
    if (message.case === undefined) return throwUnknown(exec);
    const mapped = this.#receiveBuiltin(exec);
    if (mapped) return mapped;
    const what = `The built-in "${message.case.replace(/Args$|Request$/, '')}"`;
    const refusal = refuseExec(message, refusalReason(what, tools), tools);
    return refusal
      ? { frames: answerFrames(exec, [refusal]) }
      : { frames: throwFrames(exec.id, refusalReason(what, tools)) };
  }

  /** The frames that answer a call; none when it was answered before, or taken back by the backend. */
  answer(result: ToolResultPart): readonly AgentClientMessage[] {
    const call = this.#pending.get(result.callId);
    if (!call) return [];
    this.#pending.delete(result.callId);
    return answerFrames(call.exec, call.answer(result));
  }

  /** The backend no longer wants an exec; no result is due. */
  abort(id: number): PendingCall | undefined {
    const call = this.pendingCalls.find(({ exec }) => exec.id === id);
    if (call) this.#pending.delete(call.callId);
    return call;
  }

  #receiveCall(exec: ExecServerMessage, args: McpArgs): ExecStep {
    const { tools } = this.#options;
    const tool = tools.find(args);
    if (!tool) {
      const refusal = refuseExec(exec.message, '', tools);
      return { frames: refusal ? answerFrames(exec, [refusal]) : throwFrames(exec.id, 'No such tool.') };
    }
    if (args.smartModeApprovalOnly) {
      // Only asks whether it may: the caller decides when the call itself comes.
      const approved: ExecAnswer = { case: 'mcpResult', value: { result: { case: 'approved', value: {} } } };
      return { frames: answerFrames(exec, [approved]) };
    }
    const input = decodeArguments(args);
    const { name, namespace, kind } = tool.definition;
    const isRaw = kind === 'custom' && typeof input.input === 'string';
    return this.#hold(args.toolCallId, {
      exec: { id: exec.id, execId: exec.execId },
      name,
      ...(namespace === undefined ? {} : { namespace }),
      kind,
      argumentsText: isRaw ? String(input.input) : JSON.stringify(input),
      answer: (result) => [mcpAnswer(result)],
    });
  }

  #receiveBuiltin(exec: ExecServerMessage): ExecStep | undefined {
    const builtin = readBuiltin(exec);
    if (!builtin) return undefined;
    const { tools, usedCallIds } = this.#options;
    const { kind, callId } = builtin;
    // An edit is a read, then a write of the whole new text, under one id. A caller's read tool may number the lines or
    // leave some out, so what the backend makes of it must never be written back.
    if (this.#edits.has(callId) || (kind === 'write' && callId !== '' && usedCallIds.has(callId))) {
      const reason = refusalReason('The built-in edit', tools);
      const refusal = refuseExec(exec.message, reason, tools);
      return { frames: refusal ? answerFrames(exec, [refusal]) : throwFrames(exec.id, reason) };
    }
    const fitted = findCallerTool(builtin, tools.list);
    if (!fitted) return undefined;
    const { name, namespace } = fitted.tool.definition;
    return this.#hold(callId, {
      exec: { id: exec.id, execId: exec.execId },
      name,
      ...(namespace === undefined ? {} : { namespace }),
      kind: 'function',
      argumentsText: JSON.stringify(fitted.input),
      answer: (result) => builtin.answer(outcomeOf(result)),
    });
  }

  #hold(givenId: string, parts: Omit<PendingCall, 'callId'>): ExecStep {
    const { usedCallIds, known, newId } = this.#options;
    const { name, argumentsText } = parts;
    const result = known.take({ callId: givenId, name, argumentsText });
    if (result) return { frames: answerFrames(parts.exec, parts.answer(result)) };
    const callId = givenId !== '' && !usedCallIds.has(givenId) ? givenId : newId('call_');
    usedCallIds.add(callId);
    const call: PendingCall = { ...parts, callId };
    this.#pending.set(callId, call);
    return { frames: [], call };
  }
}

/** A question whether a call may be made is no call yet. */
function toolCallIdOf({ message: { value } }: ExecServerMessage): string | undefined {
  if (!value || !('toolCallId' in value)) return undefined;
  if ('smartModeApprovalOnly' in value && value.smartModeApprovalOnly) return undefined;
  return value.toolCallId || undefined;
}

function throwUnknown(exec: ExecServerMessage): ExecStep {
  return {
    frames: throwFrames(exec.id, 'This client does not know this kind of exec.'),
    unknownFields: (exec.$unknown ?? []).map(({ no }) => no),
  };
}

// Call items of a streamed answer. Calls may interleave: each has its own output index.
import type {
  IdSource,
  ToolCall,
  ToolDefinition,
  ToolInputDelta,
  ToolInputStart,
  ToolResultPart,
} from '../../core/index.ts';
import { deltaHead, type FrameWriter } from './frame-writer.ts';
import type { OutputList } from './output-list.ts';
import {
  argumentsOrEmpty,
  type CallFields,
  customCallItem,
  functionCallItem,
  serverCallItem,
} from './output-shapes.ts';

interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly head: string;
  readonly namespace: string | undefined;
}

export class CallItems {
  readonly #frames: FrameWriter;
  readonly #output: OutputList;
  readonly #newId: IdSource;
  readonly #tools: readonly ToolDefinition[];
  readonly #open = new Map<string, OpenCall>();
  /** Calls that ran elsewhere, waiting for their result. */
  readonly #serverCalls = new Map<string, CallFields>();

  constructor(frames: FrameWriter, output: OutputList, newId: IdSource, tools: readonly ToolDefinition[]) {
    this.#frames = frames;
    this.#output = output;
    this.#newId = newId;
    this.#tools = tools;
  }

  start(event: ToolInputStart): void {
    if (event.kind === 'hosted') return;
    const isCustom = event.kind === 'custom';
    const index = this.#output.nextIndex();
    const id = callItemId(event, this.#newId);
    const namespace = namespaceOf(event, this.#tools);
    const name = isCustom ? 'custom_tool_call_input' : 'function_call_arguments';
    const head = deltaHead(`response.${name}.delta`, { item_id: id, output_index: index });
    const fields: CallFields = { ...event, id, namespace, text: '', status: 'in_progress' };
    this.#frames.event('response.output_item.added', {
      output_index: index,
      item: isCustom ? customCallItem(fields) : functionCallItem(fields),
    });
    this.#open.set(event.callId, { index, id, head, namespace });
  }

  delta(event: ToolInputDelta): void {
    const call = this.#open.get(event.callId);
    if (call) this.#frames.delta(call.head, event.text);
  }

  /** The call is complete. One that was cut off never gets here, and its item is never called done. */
  finish(event: ToolCall): void {
    const { kind, callId, name, argumentsText } = event;
    if (kind === 'hosted') {
      const fields = { id: this.#newId('mcp_'), callId, name, namespace: undefined, text: argumentsText };
      this.#serverCalls.set(callId, { ...fields, status: 'completed' });
      return;
    }
    const call = this.#open.get(callId);
    if (!call) return;
    this.#open.delete(callId);
    const { index, id, namespace } = call;
    const place = { item_id: id, output_index: index };
    if (kind === 'custom') {
      this.#frames.event('response.custom_tool_call_input.done', { ...place, input: argumentsText });
      const fields: CallFields = { id, callId, name, namespace, text: argumentsText, status: 'completed' };
      this.#output.finish(index, customCallItem(fields));
      return;
    }
    const text = argumentsOrEmpty(argumentsText);
    if (text !== argumentsText) this.#frames.delta(call.head, text);
    this.#frames.event('response.function_call_arguments.done', { ...place, name, arguments: text });
    this.#output.finish(index, functionCallItem({ id, callId, name, namespace, text, status: 'completed' }));
  }

  result(result: ToolResultPart): void {
    const fields = this.#serverCalls.get(result.callId);
    if (!fields) return;
    this.#serverCalls.delete(result.callId);
    this.#output.addWhole(serverCallItem(fields, result));
  }

  /** The turn ends: calls whose result nobody told are shown without. */
  leaveServerCalls(): void {
    for (const fields of this.#serverCalls.values()) this.#output.addWhole(serverCallItem(fields, undefined));
    this.#serverCalls.clear();
  }
}

/** Ids that another dialect gave are not item ids; OpenAI checks the prefix when they come back. */
export function callItemId(call: { kind: string; itemId?: string }, newId: IdSource): string {
  const prefix = call.kind === 'custom' ? 'ctc_' : 'fc_';
  return call.itemId?.startsWith(prefix) ? call.itemId : newId(prefix);
}

/** An upstream without namespaces gives the bare name back; it is completed when only one tool can be meant. */
export function namespaceOf(
  call: { name: string; namespace?: string },
  tools: readonly ToolDefinition[],
): string | undefined {
  if (call.namespace !== undefined) return call.namespace;
  const named = tools.filter((tool) => tool.name === call.name);
  return named.length === 1 ? named[0]?.namespace : undefined;
}

// Results of calls that a cancelled run had left open, which the client sends along with the user's next words.
import type { ToolResultPart } from '../../../core/index.ts';
import type { InterruptedPendingToolCallResolutions } from '../../../gen/agent/v1/conversation_action_pb.ts';
import { tellShell } from './tell-shell.ts';

export function decodeResolutions(
  given: InterruptedPendingToolCallResolutions | undefined,
): ReadonlyMap<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (const { toolCallId, resolution } of given?.resolutions ?? []) {
    if (resolution.case === undefined) continue;
    const text =
      resolution.case === 'shellResult' ? tellShell(resolution.value) : tellTask(resolution.value.result);
    results.set(toolCallId, { type: 'tool-result', callId: toolCallId, content: [{ type: 'text', text }] });
  }
  return results;
}

/** A task's outcomes differ in their fields; whichever of them are texts is what there is to say. */
function tellTask(result: { case: string | undefined; value?: object | undefined }): string {
  const words = Object.entries(result.value ?? {}).flatMap(([key, value]) =>
    key !== '$typeName' && typeof value === 'string' && value !== '' ? [value] : [],
  );
  return `The task ended: ${[result.case ?? 'interrupted', ...words].join('\n')}`;
}

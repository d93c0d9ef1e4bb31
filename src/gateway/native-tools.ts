// The tools as native fronts need them. Loaded with the first native stream, since the registry brings parsers along.
import type { JsonObject } from '../core/index.ts';
import type { AiserverHost } from '../dialects/cursor-aiserver/aiserver-host.ts';
import { ownSlot } from '../tools/codecs/call-carrier.ts';
import { findBuiltinTool } from '../tools/codecs/find-builtin-tool.ts';
import {
  decodeClientSideCall,
  decodeClientSideResult,
  encodeClientSideCall,
  encodePartialCall,
  encodeStreamedBackCall,
} from '../tools/codecs/index.ts';
import { modelDefinition } from '../tools/model-definition.ts';
import { isOffered } from '../tools/modes.ts';
import { BUILTIN_TOOLS } from '../tools/registry.ts';
import { describeProblems } from '../tools/runtime/describe-problems.ts';

export { createRemoteTools, describeRemoteCall, forbidCalls } from '../tools/remote/index.ts';

/** `apply_patch` has no slot that could hold it; MCP tools are added by the front, each under its own name. */
const UNSENDABLE: ReadonlySet<string> = new Set(['apply_patch', 'mcp']);

/** A client of `aiserver.v1` runs tools by number: the front is handed their descriptions and their messages. */
export const numberedTools: Pick<AiserverHost, 'defineTools' | 'readArguments' | 'messages'> = {
  defineTools(mode, supportedNumbers) {
    const supported = new Set(supportedNumbers);
    return BUILTIN_TOOLS.flatMap((tool) => {
      // Not always its own number: some edits travel in an older tool's slot.
      const number = ownSlot(tool);
      const isWanted = supported.has(number) && !UNSENDABLE.has(tool.name);
      if (!isWanted || !tool.modes.includes(mode) || !isOffered(tool.number, mode, {})) return [];
      return {
        definition: modelDefinition(tool),
        number,
        name: tool.name,
        parallel: tool.parallel,
        isReadOnly: tool.risk === 'none' || tool.risk === 'read',
      };
    });
  },
  readArguments(name, input) {
    const parsed = findBuiltinTool(name).args.safeParse(input);
    if (!parsed.success) return { ok: false, message: describeProblems(name, parsed.error, input) };
    return { ok: true, args: parsed.data as JsonObject }; // every tool's arguments are one JSON object
  },
  messages: {
    encodeCall: encodeClientSideCall,
    decodeCall: decodeClientSideCall,
    decodeResult: decodeClientSideResult,
    encodeShownCall: encodeStreamedBackCall,
    encodePartialCall,
  },
};

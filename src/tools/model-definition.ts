import { z } from 'zod';
import type { FunctionTool, JsonObject } from '../core/index.ts';
import type { Tool } from './tool.ts';

const known = new WeakMap<Tool, FunctionTool>();

/** A tool as models are told of it: our name and description, and the canonical spelling of its arguments. */
export function modelDefinition(tool: Tool): FunctionTool {
  let definition = known.get(tool);
  if (!definition) {
    const { $schema, ...parameters } = z.toJSONSchema(tool.args, { io: 'input' });
    definition = {
      kind: 'function',
      name: tool.name,
      description: tool.description,
      parameters: parameters as JsonObject, // plain data; zod's type for it is wider than JSON
    };
    known.set(tool, definition);
  }
  return definition;
}

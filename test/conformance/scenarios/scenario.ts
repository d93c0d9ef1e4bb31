import type { DemoMessage, DemoTool } from '../../../src/cli/demo/index.ts';
import type { Asking } from '../asking.ts';

/** One thing that has to be true of every front with every upstream, whole and streamed. */
export interface Scenario {
  /** A claim, used as the name of the test. */
  readonly name: string;
  run(asking: Asking): Promise<void>;
}

export const READ_TOOL: DemoTool = declare('read_file', 'Reads a text file.', 'path');
export const RUN_TOOL: DemoTool = declare('run_command', 'Runs a shell command.', 'command');

export function user(text: string): DemoMessage {
  return { from: 'user', text };
}

function declare(name: string, description: string, argument: string): DemoTool {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [argument]: { type: 'string', description: `The ${argument}` } },
      required: [argument],
      additionalProperties: false,
    },
  };
}

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GatewayError, isJsonObject, parseArguments } from '../../core/index.ts';
import type { DemoCall, DemoTool } from './demo-client.ts';

export const DEMO_FILE = 'greeting.txt';
export const DEMO_CONTENT = 'Any line can meet any other.\n';
const ECHOED = 'every front, every upstream';

interface ExecutableTool extends DemoTool {
  /** The one argument that counts. */
  readonly argument: string;
  run(value: string, workspace: string): Promise<string> | string;
}

const readTool: ExecutableTool = {
  ...declare('read_file', 'Reads a text file of the workspace.', 'path', 'Path relative to the workspace'),
  argument: 'path',
  run: readInside,
};

const commandTool: ExecutableTool = {
  ...declare('run_command', 'Runs a shell command.', 'command', 'The command line'),
  argument: 'command',
  run: pretendToRun,
};

/** What is asked of the model, and what must come of it. */
export interface DemoTask {
  readonly prompt: string;
  readonly tools: readonly ExecutableTool[];
  /** Names of the calls the model must make, all in one answer. */
  readonly calls: readonly string[];
  /** What the last answer must repeat from the results. */
  readonly proof: readonly string[];
}

export const ONE_CALL: DemoTask = {
  prompt: `Please read ${DEMO_FILE}`,
  tools: [readTool],
  calls: ['read_file'],
  proof: [DEMO_CONTENT.trim()],
};

export const PARALLEL_CALLS: DemoTask = {
  prompt: `Please read ${DEMO_FILE} and run \`echo ${ECHOED}\``,
  tools: [readTool, commandTool],
  calls: ['read_file', 'run_command'],
  proof: [DEMO_CONTENT.trim(), ECHOED],
};

/** Executes one call here, as the program of a user would. */
export async function executeCall(call: DemoCall, task: DemoTask, workspace: string): Promise<string> {
  const tool = task.tools.find(({ name }) => name === call.name);
  if (!tool) throw unexpected(`a declared tool, not ${call.name}`);
  const parsed = parseArguments(call.argumentsText);
  const value = 'input' in parsed && isJsonObject(parsed.input) ? parsed.input[tool.argument] : undefined;
  if (typeof value !== 'string')
    throw unexpected(`arguments with a ${tool.argument}, not ${call.argumentsText}`);
  return tool.run(value, workspace);
}

export function unexpected(wanted: string): GatewayError {
  return new GatewayError('internal', `Expected ${wanted}.`);
}

function declare(name: string, description: string, argument: string, meaning: string): DemoTool {
  return {
    name,
    description,
    parameters: {
      type: 'object',
      properties: { [argument]: { type: 'string', description: meaning } },
      required: [argument],
      additionalProperties: false,
    },
  };
}

async function readInside(wanted: string, workspace: string): Promise<string> {
  const file = path.resolve(workspace, wanted);
  if (path.relative(workspace, file).startsWith('..'))
    throw unexpected(`a path in the workspace, not ${wanted}`);
  return readFile(file, 'utf8');
}

/** The demo starts no process: `echo` is all it can do, and it does that itself. */
function pretendToRun(command: string): string {
  const [, text] = /^echo (.+)$/.exec(command) ?? [];
  if (text === undefined) throw unexpected(`the command echo, not ${command}`);
  return `${text}\n`;
}

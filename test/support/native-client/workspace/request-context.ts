import type { MessageInitShape } from '@bufbuild/protobuf';
import type { RequestContextSchema } from '../../../../src/gen/agent/v1/request_context_pb.ts';
import { type DeclaredTool, defineDeclared } from './declared-tools.ts';
import type { ExecAnswer } from './execution.ts';

export interface ContextOptions {
  readonly folder: string;
  readonly tools: readonly DeclaredTool[];
  readonly rules?: readonly { readonly path: string; readonly text: string }[];
}

type ContextInit = Exclude<MessageInitShape<typeof RequestContextSchema>, { $typeName: string }>;

/** What the official SDK says about itself. */
export function describeContext({ folder, tools, rules = [] }: ContextOptions): ExecAnswer {
  const context: ContextInit = {
    env: {
      osVersion: 'linux 6.1.0',
      workspacePaths: [folder],
      shell: 'bash',
      terminalsFolder: `${folder}/.terminals`,
      timeZone: 'Europe/Berlin',
      projectFolder: folder,
      sandboxSupported: false,
      computerUseSupported: false,
      processWorkingDirectory: '/',
    },
    tools: tools.map(defineDeclared),
    rules: rules.map(({ path, text }) => ({
      fullPath: path,
      content: text,
      type: { type: { case: 'global' as const, value: {} } },
    })),
    supportsMcpAuth: true,
    gitRepoInfoComplete: true,
  };
  const value = { requestContext: context };
  return { case: 'requestContextResult', value: { result: { case: 'success', value } } };
}

// The request context: what the backend asks for at the start of nearly every run, and where it takes the tools from.
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type RequestContext, RequestContextSchema } from '../../gen/agent/v1/request_context_pb.ts';
import { type AgentTools, SERVER_NAME } from './agent-tools.ts';
import type { WorkspaceHint } from './workspace-hint.ts';

export interface ContextOptions {
  readonly tools: AgentTools;
  readonly cloudRule: string | undefined;
  readonly workspace: WorkspaceHint;
  /** The caller asked for the upstream's own web search. */
  readonly webSearch: boolean;
}

export function encodeContext(options: ContextOptions): RequestContext {
  const { tools, cloudRule, workspace, webSearch } = options;
  const { directory, platform } = workspace;
  const init: MessageInitShape<typeof RequestContextSchema> = {
    env: {
      osVersion: platform ?? '',
      workspacePaths: directory === undefined ? [] : [directory],
      projectFolder: directory ?? '',
      ...(directory === undefined ? {} : { processWorkingDirectory: directory }),
      timeZone: 'UTC',
    },
    tools: tools.encode(),
    webSearchEnabled: webSearch,
    webFetchEnabled: webSearch,
    readLintsEnabled: false,
    gitRepoInfoComplete: true,
    mcpInfoComplete: true,
  };
  if (cloudRule) init.cloudRule = cloudRule;
  if (tools.list.length > 0) {
    const instructions = `These are the only tools here. They run on the user's machine.`;
    init.mcpInstructions = [{ serverName: SERVER_NAME, serverIdentifier: SERVER_NAME, instructions }];
  }
  return create(RequestContextSchema, init);
}

import type { FunctionTool, Mode } from '../../core/index.ts';
import { modelDefinition } from '../model-definition.ts';
import { isOffered, isReadOnlyMode, RETIRED_TOOLS } from '../modes.ts';
import { REMOTE_TOOLS } from './remote-registry.ts';
import type { RemoteSession } from './remote-session.ts';
import { isAllowed } from './resolve-call.ts';

/** What a model may call in this mode at this client. */
export function listRemoteTools(session: RemoteSession, mode: Mode): readonly FunctionTool[] {
  const { port, gates } = session;
  const builtin = REMOTE_TOOLS.filter(
    (program) =>
      program.isListed?.(session) !== false &&
      program.tool.modes.includes(mode) &&
      !RETIRED_TOOLS.has(program.tool.number) &&
      isOffered(program.tool.number, mode, gates) &&
      isAllowed({ kind: 'builtin', program }, port),
  );
  const ofServers = session.mcp.list.filter(
    (target) => isAllowed({ kind: 'mcp', target }, port) && (target.isReadOnly || !isReadOnlyMode(mode)),
  );
  return [
    ...builtin.map(({ tool }) => modelDefinition(tool)),
    ...ofServers.map(
      ({ modelName, description, schema }): FunctionTool => ({
        kind: 'function',
        name: modelName,
        description,
        parameters: schema,
      }),
    ),
  ];
}

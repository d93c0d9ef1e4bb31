// CONNECT_SCM (66). Known from one client build, `agent.v1.ConnectScmArgs`: a repository of GitHub, and nothing else.
import { z } from 'zod';
import { defineTool } from '../../tool.ts';
import { fail } from '../../tool-outcome.ts';

export const connectScm = defineTool({
  number: 66,
  name: 'connect_scm',
  description: "Connect a code host to the user's Cursor account. Not available here.",
  // What is in `github` does not matter to the answer, so any form is taken.
  args: z.preprocess(
    (given) => given ?? {},
    z.object({ github: z.unknown().optional().describe('The repository to connect.') }),
  ),
  risk: 'interact',
  modes: ['agent'],
  parallel: 'alone',
  status: 'remote-only',
  touches: () => [],
  run: async () =>
    fail(
      'ENOSYS',
      "Connecting a code host gives Cursor's servers access to a repository and happens in the user's Cursor account, not here. For work on this machine none is needed: git uses the user's own credentials, and fetch_pull_request takes a token from the configuration (tools.forges).",
    ),
});

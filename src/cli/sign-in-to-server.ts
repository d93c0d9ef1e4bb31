import { statePaths } from '../config/index.ts';
import { GatewayError } from '../core/index.ts';
import { createLoopbackSignIn } from '../server/tool-service/loopback-sign-in.ts';
import { openMcp } from '../server/tool-service/open-mcp.ts';
import { printable } from './ansi.ts';
import type { CliContext } from './context.ts';
import { loadToolSections, openUserPolicy } from './load-policy.ts';

/** Signs in from the terminal; a gateway that runs finds the token at its next call. */
export async function signInToServer(
  context: CliContext,
  server: string,
  configFile: string | undefined,
): Promise<void> {
  const { sections } = await loadToolSections(context, configFile);
  const { isTrusted, workspace } = await openUserPolicy(context, sections, context.cwd);
  const { env, home: homeFolder, version } = context;
  const { hub } = await openMcp({
    config: sections.mcp,
    workspace,
    isTrusted,
    stateHome: statePaths(context).home,
    homeFolder,
    env,
    version,
    signIn: createLoopbackSignIn({
      show: (name, url) =>
        context.stdout.write(
          `Open this address in a browser on this machine to sign in to ${printable(name)}:\n\n  ${printable(url.href)}\n\nWaiting; Ctrl-C gives up.\n`,
        ),
    }),
  });
  const giveUp = new AbortController();
  const release = context.onSignal(() => giveUp.abort());
  try {
    const outcome = await hub.signIn(server, giveUp.signal);
    if (!outcome.ok) throw new GatewayError('invalid-request', outcome.error.message);
    context.stdout.write(`${printable(outcome.content)}\n`);
  } finally {
    release();
    await hub.close();
  }
}

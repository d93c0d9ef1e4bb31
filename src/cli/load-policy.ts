import { loadConfig } from '../config/index.ts';
import { Policy, readPolicySection } from '../tools/policy/index.ts';
import type { CliContext } from './context.ts';

/** The user's policy from the section `policy`; without one: always ask, every protection on. */
export async function loadPolicy(context: CliContext, configFile: string | undefined): Promise<Policy> {
  const { env, cwd, home } = context;
  const kinds = (await context.dialects()).kinds.map(({ kind }) => kind);
  const { config, file } = await loadConfig({ env, cwd, home, kinds, configFile });
  return new Policy({ user: readPolicySection(config.policy, file) }, { homeFolder: home });
}

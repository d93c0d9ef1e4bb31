// What the tool runtime would find: its sections, the workspace's files, the sandbox.
import type { Config } from '../../config/index.ts';
import { GatewayError } from '../../core/index.ts';
import { readToolSections, type ToolSections } from '../../server/tool-service/read-tool-sections.ts';
import { sandboxStatus } from '../../tools/sandbox/index.ts';
import type { CliContext } from '../context.ts';
import { openUserPolicy } from '../load-policy.ts';
import { type Check, failure, ok, warning } from './check.ts';

export async function checkTools(context: CliContext, config: Config): Promise<Check[]> {
  let sections: ToolSections;
  try {
    sections = readToolSections(config);
  } catch (thrown) {
    const { message } = GatewayError.from(thrown);
    return [failure('tools', message, 'Mend the section; the gateway does not start with it.')];
  }
  return [await checkPolicy(context, sections), await checkSandbox(context, sections)];
}

async function checkPolicy(context: CliContext, sections: ToolSections): Promise<Check> {
  try {
    const { policy, isTrusted, hasChangedRules } = await openUserPolicy(context, sections, context.cwd);
    if (hasChangedRules)
      return warning(
        'policy',
        'the rules of this workspace have changed since it was trusted; they only restrict now.',
        'Look at them and run `crosspoint policy trust` again.',
      );
    const trust = isTrusted ? 'this workspace is trusted' : 'this workspace is not trusted';
    return ok('policy', `${policy.setting}, ${policy.rules.length} rules; ${trust}`);
  } catch (thrown) {
    return failure('policy', GatewayError.from(thrown).message, 'Mend the rules; no tool runs before.');
  }
}

/** Tried, not guessed: in many containers the program is there and may do nothing. */
async function checkSandbox(context: CliContext, { tools }: ToolSections): Promise<Check> {
  const status = await sandboxStatus({ searchPath: context.env.PATH ?? '' });
  const { enabled } = tools.sandbox;
  if (status.isAvailable) {
    const use = enabled ? 'commands run in it' : 'off; tools.sandbox.enabled turns it on';
    return ok('sandbox', `${status.kind} (${status.program}), ${use}`);
  }
  if (!enabled) return ok('sandbox', `off, and not available here: ${status.reason}`);
  return failure(
    'sandbox',
    `tools.sandbox.enabled is true, and there is none, so no command runs: ${status.reason}`,
    'Make it available, or set tools.sandbox.enabled to false.',
  );
}

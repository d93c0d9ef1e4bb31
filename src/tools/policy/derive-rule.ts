import { omitUndefined } from '../../core/index.ts';
import type { Touch } from '../tool.ts';
import type { Places } from './judge-path.ts';
import { hostOf } from './match-host.ts';
import type { RuleConfig } from './policy-schema.ts';
import type { PolicyTool } from './rule.ts';
import { analyseCommand } from './shell/analyse-command.ts';
import type { ShellWord } from './shell/shell-word.ts';

export interface DeriveContext {
  readonly workspace: Places;
  readonly homeFolder: string;
}

/**
 * The narrowest rule that would have let this call through, for an answer of "always". None for a call that touches
 * several kinds of things: one click should not open more than its preview shows.
 */
export async function deriveRule(
  tool: PolicyTool,
  touches: readonly Touch[],
  context: DeriveContext,
): Promise<RuleConfig | undefined> {
  const kinds = new Set(touches.map((touch) => touch.type));
  const [touch] = touches;
  if (!touch || kinds.size !== 1) return undefined;
  switch (touch.type) {
    case 'command':
      return touches.length === 1 ? deriveCommandRule(touch, context) : undefined;
    case 'path':
      return derivePathRule(tool, touches, context);
    case 'host': {
      const hosts = touches.flatMap((one) => (one.type === 'host' ? [hostOf(one.url)?.withPort] : []));
      const known = hosts.filter((host) => host !== undefined);
      return known.length === hosts.length ? rule({ host: [...new Set(known)], tool: tool.name }) : undefined;
    }
    case 'mcp': {
      const names = touches.flatMap((one) => (one.type === 'mcp' ? [[one.server, one.tool] as const] : []));
      if (names.some((pair) => pair.some((name) => name === '' || /[:*]/.test(name)))) return undefined;
      return rule({ mcp: names.map((pair) => pair.join(':')) });
    }
    default:
      return undefined;
  }
}

/** Its commands word by word when they are plain, so that they may be combined anew; else the whole text in this folder. */
function deriveCommandRule(touch: Extract<Touch, { type: 'command' }>, context: DeriveContext): RuleConfig {
  const analysis = analyseCommand(touch.command, { cwd: touch.cwd, homeFolder: context.homeFolder });
  const own = analysis.commands.filter((command) => !command.isTransparent && !command.isSafe);
  const isPlain =
    own.length > 0 &&
    [analysis.unreadable, analysis.cautions, analysis.paths].every((list) => list.length === 0) &&
    own.every((command) => command.cautions.length === 0 && command.words.every(isPlainWord));
  if (!isPlain) return rule({ exactCommand: touch.command, cwd: touch.cwd });
  return rule({ command: own.map((command) => `${command.words.map((word) => word.value).join(' ')} $`) });
}

/** Program names with a slash depend on the folder; blanks and stars have a meaning of their own in rules. */
function isPlainWord(word: ShellWord, index: number): boolean {
  return word.isLiteral && /^[^\s*]+$/.test(word.value) && !(index === 0 && word.value.includes('/'));
}

async function derivePathRule(
  tool: PolicyTool,
  touches: readonly Touch[],
  context: DeriveContext,
): Promise<RuleConfig> {
  const paths: string[] = [];
  const access = new Set<'read' | 'write' | 'delete'>();
  for (const touch of touches) {
    if (touch.type !== 'path') continue;
    const { realPath } = await context.workspace.resolve(touch.path);
    paths.push(escapeGlob(realPath));
    access.add(touch.access);
  }
  return rule({ path: [...new Set(paths)], access: [...access], tool: tool.name });
}

function escapeGlob(path: string): string {
  return path.replace(/[\\*?[\]{}()!+@]/g, '\\$&');
}

function rule(subject: Omit<RuleConfig, 'decision'>): RuleConfig {
  return omitUndefined({ decision: 'allow' as const, ...subject });
}

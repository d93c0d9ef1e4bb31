import { findClientTool, foldToolName } from '../../catalogue/index.ts';
import { invalidRequest } from '../../core/index.ts';
import { type CommandPattern, compileCommandPattern } from './match-command.ts';
import { compilePathMatcher, type PathMatcher } from './match-path.ts';
import type { RuleConfig } from './policy-schema.ts';
import type { Decision } from './verdict.ts';

/** Whose rule it is: only people who may loosen the policy have their `allow` counted. */
export type RuleOrigin = 'admin' | 'user' | 'workspace' | 'session';

export type RuleSubject =
  | { readonly type: 'tool' }
  | { readonly type: 'path'; readonly matcher: PathMatcher; readonly access: ReadonlySet<string> }
  | { readonly type: 'command'; readonly patterns: readonly CommandPattern[] }
  | {
      readonly type: 'exact-command';
      readonly commands: ReadonlySet<string>;
      readonly cwd: string | undefined;
    }
  | { readonly type: 'host'; readonly patterns: readonly string[] }
  | { readonly type: 'mcp'; readonly patterns: readonly string[] };

export interface Rule {
  readonly id: string;
  readonly decision: Decision;
  readonly origin: RuleOrigin;
  readonly subject: RuleSubject;
  /** Narrows any subject to some tools; absent means all. */
  readonly tools: readonly RegExp[] | undefined;
  readonly reason: string | undefined;
}

/** What a rule may know of the tool being called. */
export interface PolicyTool {
  readonly name: string;
  readonly number: number;
}

export interface RulePlace {
  readonly origin: RuleOrigin;
  readonly index: number;
  readonly homeFolder: string;
}

export function compileRule(config: RuleConfig, place: RulePlace): Rule {
  const id = config.id ?? `${place.origin}.rules[${place.index}]`;
  return {
    id,
    decision: config.decision,
    origin: place.origin,
    subject: compileSubject(config, id, place.homeFolder),
    tools: config.tool === undefined ? undefined : listOf(config.tool).map(toolExpression),
    reason: config.reason,
  };
}

function compileSubject(config: RuleConfig, id: string, homeFolder: string): RuleSubject {
  const { path, command, exactCommand, host, mcp } = config;
  const given = Object.entries({ path, command, exactCommand, host, mcp }).filter(
    ([, value]) => value !== undefined,
  );
  if (given.length > 1) {
    const names = given.map(([name]) => name).join(' and ');
    throw invalidRequest(`Rule ${id} has ${names}; write one rule for each.`, 'rules');
  }
  if (config.cwd !== undefined && exactCommand === undefined) {
    throw invalidRequest(
      `Rule ${id} has cwd, which only narrows exactCommand; remove it or add exactCommand.`,
      'rules',
    );
  }
  if (path !== undefined) {
    const access = new Set<string>(config.access ?? ['read', 'write', 'delete']);
    return { type: 'path', matcher: compilePathMatcher(listOf(path), homeFolder), access };
  }
  if (command !== undefined) return { type: 'command', patterns: listOf(command).map(compileCommandPattern) };
  if (exactCommand !== undefined) {
    const commands = new Set(listOf(exactCommand).map((text) => text.trim()));
    return { type: 'exact-command', commands, cwd: config.cwd };
  }
  if (host !== undefined) return { type: 'host', patterns: listOf(host) };
  if (mcp !== undefined)
    return { type: 'mcp', patterns: listOf(mcp).map((text) => checkMcpPattern(text, id)) };
  if (config.tool === undefined) {
    throw invalidRequest(
      `Rule ${id} says nothing it is about; add tool, path, command, host or mcp.`,
      'rules',
    );
  }
  return { type: 'tool' };
}

function listOf(value: string | readonly string[]): readonly string[] {
  return typeof value === 'string' ? [value] : value;
}

function checkMcpPattern(text: string, id: string): string {
  if (/^[^:*]+:[^:*]+$|^\*:[^:*]+$|^[^:*]+:\*$|^\*:\*$/.test(text)) return text;
  throw invalidRequest(
    `Rule ${id} has mcp "${text}"; write it as server:tool, server:*, *:tool or *:*.`,
    'rules',
  );
}

function toolExpression(pattern: string): RegExp {
  const pieces = pattern.split('*').map(foldToolName);
  return new RegExp(`^${pieces.join('.*')}$`, 'u');
}

/** A tool is meant by any of its names: its own, the catalogue's, the enum's. */
export function isAboutTool(rule: Rule, tool: PolicyTool): boolean {
  if (!rule.tools) return true;
  const row = findClientTool(tool.number);
  const names = [tool.name, ...(row ? [row.caseName, ...row.names] : [])].map(foldToolName);
  return rule.tools.some((expression) => names.some((name) => expression.test(name)));
}

export function matchesMcp(pattern: string, server: string, tool: string): boolean {
  const [wantedServer, wantedTool] = pattern.split(':');
  return (wantedServer === '*' || wantedServer === server) && (wantedTool === '*' || wantedTool === tool);
}

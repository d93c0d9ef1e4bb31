// What a shell command would do, from its syntax tree: every simple command behind every wrapper, every file it names,
// and every reason to doubt the reading. Decides nothing; `judge-command.ts` does.
import path from 'node:path';
import type { CommandFacts } from './command-facts.ts';
import { mayBeFlag } from './flags.ts';
import { isReadingGit } from './git-commands.ts';
import { readScript } from './read-script.ts';
import { RISKY_COMMANDS } from './risky-commands.ts';
import { SAFE_COMMANDS } from './safe-commands.ts';
import type { ShellWord } from './shell-word.ts';
import { WRAPPERS } from './wrappers.ts';

export interface SimpleCommand {
  /** The command word's last path segment: `rm` for `/bin/rm`. */
  readonly name: string;
  readonly words: readonly ShellWord[];
  /** For messages; not the source text. */
  readonly text: string;
  readonly cautions: readonly string[];
  /** A wrapper that adds nothing of its own; the command inside is listed too. */
  readonly isTransparent: boolean;
  /** Only reads and prints. */
  readonly isSafe: boolean;
  readonly isDeleting: boolean;
}

export interface PathUse {
  readonly path: string;
  readonly access: 'read' | 'write' | 'delete';
  /** `path` is a folder, and names in it that fit this pattern are meant: links among them lead elsewhere. */
  readonly names?: string;
}

export interface CommandAnalysis {
  readonly commands: readonly SimpleCommand[];
  /** Absolute paths; for a relative one after `cd`, every place it could mean. */
  readonly paths: readonly PathUse[];
  readonly urls: readonly string[];
  readonly cautions: readonly string[];
  /** Why it cannot be judged; then nothing else here is complete. */
  readonly unreadable: readonly string[];
}

export interface AnalyseOptions {
  readonly cwd: string;
  /** What an unquoted `~` means. */
  readonly homeFolder: string;
}

const MAX_WRAPPERS = 8;
const SYSTEM_FOLDERS = new Set(['/bin', '/usr/bin', '/sbin', '/usr/sbin']);

interface RawUse {
  readonly word: ShellWord;
  readonly access: PathUse['access'];
}

class Analysis {
  readonly commands: SimpleCommand[] = [];
  readonly uses: RawUse[] = [];
  readonly urls: string[] = [];
  readonly cautions: string[] = [];
  readonly unreadable: string[] = [];
  readonly changedFolders: ShellWord[] = [];
}

export function analyseCommand(source: string, options: AnalyseOptions): CommandAnalysis {
  const analysis = new Analysis();
  addScript(analysis, source, 0);
  if (analysis.commands.length === 0 && analysis.unreadable.length === 0 && analysis.uses.length === 0)
    analysis.cautions.push('it names no command');
  const bases = possibleFolders(analysis, options);
  const paths = analysis.uses.flatMap(({ word, access }) =>
    placesOf(word, bases, options).map((place) => ({
      path: place,
      access,
      ...namesOf(word),
    })),
  );
  const { commands, urls, cautions, unreadable } = analysis;
  return { commands, paths, urls, cautions, unreadable };
}

function addScript(analysis: Analysis, source: string, depth: number): void {
  if (depth > MAX_WRAPPERS) {
    analysis.unreadable.push('commands are wrapped in commands too deeply');
    return;
  }
  const script = readScript(source);
  analysis.unreadable.push(...script.unreadable);
  analysis.cautions.push(...script.cautions);
  for (const { target, access } of script.redirects) addUse(analysis, target, access);
  for (const { words, isInLoop } of script.commands) addCommand(analysis, words, { depth, isInLoop });
}

interface Place {
  readonly depth: number;
  readonly isInLoop: boolean;
}

function addCommand(analysis: Analysis, words: readonly ShellWord[], place: Place): void {
  const [first, ...args] = words;
  if (!first) return;
  if (!first.isLiteral || first.hasTilde) {
    analysis.unreadable.push(`the command word ${first.value} is known only when it runs`);
    return;
  }
  if (place.depth > MAX_WRAPPERS) {
    analysis.unreadable.push('commands are wrapped in commands too deeply');
    return;
  }
  const name = path.posix.basename(first.value);
  const isSystem = name === first.value || SYSTEM_FOLDERS.has(path.posix.dirname(first.value));
  const facts = factsOf(name);
  const unwrap = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  const inner = unwrap?.(args);
  const caution = facts?.caution?.(args);
  const cautions = [...(inner?.cautions ?? []), ...(caution === undefined ? [] : [caution])];
  analysis.commands.push({
    name,
    words,
    text: words.map((word) => word.value).join(' '),
    cautions,
    isTransparent: isSystem && (inner?.isTransparent ?? false) && cautions.length === 0,
    isSafe: isSystem && cautions.length === 0 && isSafe(name, facts, args),
    isDeleting: facts?.files === 'delete' || isDeletingCall(name, args),
  });
  if (facts) addFileArguments(analysis, name, facts, args);
  analysis.urls.push(
    ...args.flatMap((word) => (/^\w+:\/\//.test(word.value) && URL.canParse(word.value) ? [word.value] : [])),
  );
  if (name === 'cd') noteFolder(analysis, args, place);
  if (!inner) return;
  analysis.unreadable.push(...inner.unreadable);
  for (const command of inner.commands) addCommand(analysis, command, { ...place, depth: place.depth + 1 });
  for (const script of inner.scripts) addScript(analysis, script, place.depth + 1);
}

function factsOf(name: string): CommandFacts | undefined {
  if (Object.hasOwn(SAFE_COMMANDS, name)) return SAFE_COMMANDS[name];
  return Object.hasOwn(RISKY_COMMANDS, name) ? RISKY_COMMANDS[name] : undefined;
}

function isSafe(name: string, facts: CommandFacts | undefined, args: readonly ShellWord[]): boolean {
  return facts?.isSafe === true || (name === 'git' && isReadingGit(args));
}

function isDeletingCall(name: string, args: readonly ShellWord[]): boolean {
  const has = (...values: string[]) => args.some((word) => values.includes(word.value));
  return (name === 'find' && has('-delete')) || (name === 'git' && has('clean', 'rm'));
}

function addFileArguments(
  analysis: Analysis,
  name: string,
  facts: CommandFacts,
  args: readonly ShellWord[],
): void {
  const { files } = facts;
  if (files === undefined || files === 'none') return;
  for (const word of fileArguments(facts, args)) {
    const target = attachedValue(word);
    if (!target) continue;
    if (target.isLiteral || isRooted(target)) addUse(analysis, target, files);
    else analysis.cautions.push(`${name} gets the file name ${target.value} only when it runs`);
  }
}

function fileArguments(facts: CommandFacts, args: readonly ShellWord[]): readonly ShellWord[] {
  if (!facts.hasPattern) return args;
  const bringsPattern = args.some((word) => /^(?:-[a-zA-Z]*[ef]|--(?:r|f|e))/.test(word.value));
  const pattern = args.findIndex((word) => !mayBeFlag(word));
  return bringsPattern || pattern === -1 || !args[pattern]?.isLiteral ? args : args.toSpliced(pattern, 1);
}

/** The file in `--file=x` and `-fx`; undefined for an option that names none. */
function attachedValue(word: ShellWord): ShellWord | undefined {
  if (!word.isLiteral || !word.value.startsWith('-')) return word;
  const at = word.value.startsWith('--') ? word.value.indexOf('=') + 1 : 2;
  const value = at > 0 ? word.value.slice(at) : '';
  return /[/~.]/.test(value) ? { ...word, value, prefix: value } : undefined;
}

/** A glob such as `src/*.ts` says in which one folder it looks, and cannot climb or match dot files. */
function isRooted(word: ShellWord): boolean {
  const below = word.value.slice(word.prefix.length);
  return word.isGlob && !word.hasTilde && !below.includes('/') && !/(?:^|\/)\.(?!\/)/.test(word.value);
}

function addUse(analysis: Analysis, word: ShellWord, access: PathUse['access']): void {
  if (word.isLiteral || (access === 'read' && isRooted(word))) analysis.uses.push({ word, access });
  else analysis.cautions.push(`the file ${word.value} is known only when it runs`);
}

function noteFolder(analysis: Analysis, args: readonly ShellWord[], place: Place): void {
  const target = args.find((word) => !(word.isLiteral && /^-[LPe@]+$|^--$/.test(word.value)));
  if (!target?.isLiteral || target.value === '-' || target.value === '') {
    analysis.cautions.push('cd goes to a folder that is known only when it runs');
  } else if (place.isInLoop && !path.posix.isAbsolute(target.value)) {
    analysis.cautions.push('cd is repeated, so that relative names can mean any folder');
  } else analysis.changedFolders.push(target);
}

/** Wherever a relative name could start: the working folder and every folder a `cd` may have led to. */
function possibleFolders(analysis: Analysis, options: AnalyseOptions): readonly string[] {
  const folders = new Set([options.cwd]);
  for (const target of analysis.changedFolders) {
    for (const base of [...folders]) if (folders.size < 64) folders.add(resolveWord(target, base, options));
  }
  return [...folders];
}

function placesOf(word: ShellWord, bases: readonly string[], options: AnalyseOptions): readonly string[] {
  return [...new Set(bases.map((base) => resolveWord(word, base, options)))];
}

/** The last segment of a glob; what find has found with -type f is never a link. */
function namesOf(word: ShellWord): Pick<PathUse, 'names'> {
  if (!word.isGlob || word.value === '{}') return {};
  const last = word.value.slice(word.value.lastIndexOf('/') + 1);
  return { names: /["'\\$]/.test(last) ? '*' : last };
}

function resolveWord(word: ShellWord, base: string, options: AnalyseOptions): string {
  const text = word.isLiteral ? word.value : word.prefix.slice(0, word.prefix.lastIndexOf('/') + 1);
  if (!word.hasTilde) return path.posix.resolve(base, text);
  // `~name` is somebody's home; beside the root it is outside every workspace.
  return text === '~' || text.startsWith('~/')
    ? path.posix.join(options.homeFolder, text.slice(1))
    : path.posix.join('/', text);
}

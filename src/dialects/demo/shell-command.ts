import type { ToolIntent } from './intent.ts';
import { parentOf } from './paths.ts';

/** What a POSIX shell would do for a wish; undefined where a shell is no stand-in. */
export function shellCommandFor(intent: ToolIntent): string | undefined {
  switch (intent.kind) {
    case 'run':
      return intent.command;
    case 'read':
      return `cat ${fileWord(intent.path)}`;
    case 'list':
      return intent.path === '.' ? 'ls -la' : `ls -la ${fileWord(intent.path)}`;
    case 'search':
      return `grep -rn --exclude-dir=node_modules --exclude-dir=.git -e ${quoteWord(intent.pattern)} ${fileWord(intent.path ?? '.')}`;
    case 'find':
      return findCommand(intent.glob, intent.path ?? '.');
    case 'write':
      return writeCommand(intent.path, intent.content);
    case 'edit':
      return editCommand(intent);
    case 'delete':
      return `rm ${fileWord(intent.path)}`;
    case 'fetch':
      return `curl -fsSL ${quoteWord(intent.url)}`;
    case 'web-search':
    case 'todo':
    case 'call':
      return undefined;
    default:
      return intent satisfies never;
  }
}

/** One shell word: plain where that is safe, else in single quotes, in which nothing is special but the quote itself. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A file name that no program takes for an option. A leading `~/` stays outside the quotes, so that it still means home. */
function fileWord(path: string): string {
  if (path.startsWith('~/')) return `~/${quoteWord(path.slice(2))}`;
  return quoteWord(path.startsWith('-') ? `./${path}` : path);
}

function findCommand(glob: string, path: string): string {
  const name = glob.replace(/^(?:\*\*\/)+/, '');
  const test = name.includes('/')
    ? `-path ${quoteWord(`*${name.replaceAll('**', '*')}`)}`
    : `-name ${quoteWord(name)}`;
  return `find ${fileWord(path)} -type f ${test} -not -path '*/node_modules/*' -not -path '*/.git/*'`;
}

function writeCommand(path: string, content: string): string {
  const folder = parentOf(path);
  const write = `printf '%s' ${quoteWord(content)} > ${fileWord(path)}`;
  return folder === undefined ? write : `mkdir -p ${fileWord(folder)} && ${write}`;
}

/** Perl takes both texts from its environment, so neither is ever read as a pattern or as code. */
function editCommand(intent: Extract<ToolIntent, { kind: 'edit' }>): string {
  const flags = intent.isForAll ? 'g' : '';
  const script = `s/\\Q$ENV{OLD_TEXT}\\E/$ENV{NEW_TEXT}/${flags}`;
  return `OLD_TEXT=${quoteWord(intent.oldText)} NEW_TEXT=${quoteWord(intent.newText)} perl -0777 -pi -e '${script}' ${fileWord(intent.path)}`;
}

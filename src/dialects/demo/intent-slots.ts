import type { Slot } from './build-arguments.ts';
import type { ToolIntent } from './intent.ts';

const names = (list: string): readonly string[] => list.split(' ');

const PATH = names(
  'path filepath targetfile absolutepath file filename relativeworkspacepath relativepath filepaths paths files targetfiles notebookpath uri',
);
const FOLDER = names(
  'path dirpath directorypath targetdirectory directory dir folder folderpath relativeworkspacepath absolutepath filepath searchpath searchdirectory targetdirectories paths directories cwd',
);
const CONTENT = names(
  'content contents filetext filecontent filecontents text data body newtext newstr newstring newcontent codeedit code',
);
const OLD = names('oldstring oldstr oldtext old search find original searchtext oldcontent');
const NEW = names('newstring newstr newtext new replace replacement replacewith updated newcontent');
const EDITS = names('edits replacements changes operations edit');
const COMMAND = names('command cmd commands commandline shellcommand script input argv args code');
const ARGV = names('command cmd argv args');
const PATTERN = names(
  'pattern query queries regex regexp patterns searchpattern searchterm searchterms search term text keyword q',
);
const GLOB = names('globpattern pattern glob patterns filepattern query name filename includepattern');
const URL = names('url uri urls link address href requests target');
const QUERY = names('query searchterm searchquery q queries search term keywords objective prompt input');
const TODO = names('todos items tasks todolist plan checklist todo content subject title text');
const TODO_TEXT = names('content text title task step subject description name todo');
const ACTION = names('command action operation mode op subcommand method');
const PATCH = names('input patch patchtext diff content');

/** Where the parts of a wish may go. Several lists are tried in turn, as tools of one kind come in several shapes. */
export function slotsFor(intent: ToolIntent): readonly (readonly Slot[])[] {
  switch (intent.kind) {
    case 'read':
      return [[choice('view read cat open'), path(intent.path)]];
    case 'list':
      return [[choice('list ls view'), folder(intent.path, intent.path !== '.')]];
    case 'run':
      return [[command(intent.command)]];
    case 'search':
      return [[one(PATTERN, intent.pattern), ...optionalFolder(intent.path)]];
    case 'find':
      return [[one(GLOB, intent.glob), ...optionalFolder(intent.path)]];
    case 'write':
      return [[choice('create write save add'), path(intent.path), one(CONTENT, intent.content)]];
    case 'edit': {
      const flag: Slot[] = intent.isForAll
        ? [
            {
              names: names('replaceall allowmultiple all global multiple'),
              values: [],
              isRequired: false,
              isFlag: true,
            },
          ]
        : [];
      const pair = [one(OLD, intent.oldText), one(NEW, intent.newText), ...flag];
      const head = [choice('str_replace replace edit update'), path(intent.path)];
      return [
        [...head, ...pair],
        [...head, { names: EDITS, values: [], isRequired: true, fields: pair }],
      ];
    }
    case 'delete':
      return [[choice('delete remove'), path(intent.path)]];
    case 'fetch':
      return [[one(URL, intent.url)]];
    case 'web-search':
      return [[one(QUERY, intent.query)]];
    case 'todo':
      return [
        [{ names: TODO, values: intent.items, isRequired: true, innerNames: TODO_TEXT, join: checklist }],
      ];
    case 'call':
      return [];
    default:
      return intent satisfies never;
  }
}

/** A patch as the argument of a function tool. */
export function patchSlots(patch: string): readonly Slot[] {
  return [one(PATCH, patch)];
}

/** A command for a shell tool, also where a tool wants an argument vector. */
export function command(text: string): Slot {
  return {
    names: COMMAND,
    values: [text],
    isRequired: true,
    argv: { names: ARGV, values: ['bash', '-lc', text] },
  };
}

function one(slotNames: readonly string[], value: string): Slot {
  return { names: slotNames, values: [value], isRequired: true };
}

function path(value: string): Slot {
  return { names: PATH, values: [value], isRequired: true, isPath: true, innerNames: PATH };
}

function folder(value: string, isRequired: boolean): Slot {
  return { names: FOLDER, values: [value], isRequired, isPath: true };
}

function optionalFolder(value: string | undefined): readonly Slot[] {
  return value === undefined ? [] : [folder(value, false)];
}

function choice(values: string): Slot {
  return { names: ACTION, values: values.split(' '), isRequired: false, isChoice: true };
}

/** A property that holds a whole list gets one, in Markdown; any other gets the plain text. */
function checklist(items: readonly string[], name: string): string {
  if (!/^(?:checklist|todos|todolist|items|tasks|plan)$/.test(name)) return items.join('; ');
  return items.map((item) => `- [ ] ${item}`).join('\n');
}

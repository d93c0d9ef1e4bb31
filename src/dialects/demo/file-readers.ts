// Clause readers for wishes about files: what to read, write, edit, delete, list, find and search.
import { omitUndefined } from '../../core/index.ts';
import type { ClauseReader } from './clause-reader.ts';
import type { MaskedText } from './mask-quotes.ts';
import { isPathLike } from './paths.ts';

const FILE_WORDS =
  '(?:(?:the|a|an|my|our|this) )?(?:new |empty |text |existing )*(?:file )?(?:called |named |at )?';

const FOLDER_TAIL = '(?: (?:folder|directory|dir))?';

export const readEdit: ClauseReader = (text, masked) => {
  const tail = new RegExp(
    `^(?:replace|change|swap|substitute|rename)( all| every)?(?: (?:occurrences|instances) of)? (.+?) (?:with|by|to|for|into) (.*?) ?\\bin ${FILE_WORDS}(\\S+)$`,
    'i',
  ).exec(text);
  const head = new RegExp(
    `^(?:edit|update|modify|change|in) ${FILE_WORDS}(\\S+?)(?:,|:| and| to| so that it| by)* (?:replac(?:e|ing)|chang(?:e|ing)|swap)( all| every)?(?: (?:occurrences|instances) of)? (.+?) (?:with|by|to|for|into) (.+)$`,
    'i',
  ).exec(text);
  const found = tail
    ? { path: tail[4], all: tail[1], oldText: tail[2], newText: tail[3] }
    : { path: head?.[1], all: head?.[2], oldText: head?.[3], newText: head?.[4] };
  const path = masked.value(found.path ?? '');
  if (!isPathLike(path) || !found.oldText) return undefined;
  const oldText = masked.value(found.oldText);
  return [
    {
      kind: 'edit',
      path,
      oldText,
      newText: masked.value(found.newText ?? ''),
      isForAll: found.all !== undefined,
    },
  ];
};

export const readWrite: ClauseReader = (text, masked) => {
  const head = new RegExp(
    `^(?:create|make|write|add|generate|save|overwrite)(?: me)? ${FILE_WORDS}(\\S+?)[,:]?(?: file)? (?:with|containing|saying|that (?:says|contains|reads)|which (?:says|contains)|and (?:write|put))(?: the| this)?(?: following)?(?: (?:contents?|text|lines?|words?|code|body))?(?: of)?[:,]? ?(.+)$`,
    'i',
  ).exec(text);
  const headPath = masked.value(head?.[1] ?? '');
  if (head?.[2] && isPathLike(headPath))
    return [{ kind: 'write', path: headPath, content: masked.value(head[2]) }];
  const tail = new RegExp(
    `^(?:write|save|put|add|store)(?: the)?(?: (?:text|words?|line))? (.+) (?:to|into|in|as) ${FILE_WORDS}(\\S+)$`,
    'i',
  ).exec(text);
  const tailPath = masked.value(tail?.[2] ?? '');
  if (tail?.[1] && isPathLike(tailPath))
    return [{ kind: 'write', path: tailPath, content: masked.value(tail[1]) }];
  const empty = new RegExp(`^(?:create|make|touch|add)(?: me)? ${FILE_WORDS}(\\S+)$`, 'i').exec(text);
  const emptyPath = masked.value(empty?.[1] ?? '');
  return empty && isPathLike(emptyPath) ? [{ kind: 'write', path: emptyPath, content: '' }] : undefined;
};

export const readDelete: ClauseReader = (text, masked) => {
  const match = new RegExp(`^(?:delete|remove|erase|rm) ${FILE_WORDS}(\\S+)$`, 'i').exec(text);
  const path = masked.value(match?.[1] ?? '');
  return isPathLike(path) || (path !== '' && / file /i.test(text)) ? [{ kind: 'delete', path }] : undefined;
};

/** Names of languages for "find all python files". */
const EXTENSIONS: Readonly<Record<string, string>> = {
  typescript: 'ts',
  javascript: 'js',
  python: 'py',
  markdown: 'md',
  json: 'json',
  yaml: 'yaml',
  css: 'css',
  html: 'html',
  rust: 'rs',
  java: 'java',
  text: 'txt',
};

export const readFind: ClauseReader = (text, masked) => {
  const match = new RegExp(
    `^(?:find|glob|locate|list|show|search for)(?: me)?(?: all| every)?(?: the)? ?(files?)? ?(?:named|called|matching|like|that match|with (?:the )?(?:name|pattern))? ?(\\S+?)( files?)?(?: (?:in|inside|under) (?:the )?(\\S+)${FOLDER_TAIL})?$`,
    'i',
  ).exec(text);
  if (!match?.[2]) return undefined;
  const word = masked.value(match[2]);
  const extension = match[3] ? EXTENSIONS[word.toLowerCase()] : undefined;
  const glob = extension === undefined ? word : `**/*.${extension}`;
  const isNamed = /^(?:find|locate)\b.*\b(?:named|called)\b|^(?:find|locate|glob) files? \S+\.\w+/i.test(
    text,
  );
  if (!/[*?]/.test(glob) && !isNamed) return undefined;
  return [omitUndefined({ kind: 'find' as const, glob, path: placeOf(match[4], masked) })];
};

export const readSearch: ClauseReader = (text, masked) => {
  const match =
    /^(?:search|look(?= for)|grep|rg|scan)(?: (?:in |through )?(?:the |my |this )?(?:code(?:base)?|project|repo(?:sitory)?|workspace|files?))?(?: for)? (.+?)(?: (?:in|inside|under|within) (?:the |all |my |this )?(\S+)(?: (?:folder|directory|dir|files?))?)?$/i.exec(
      text,
    ) ??
    /^find (?:all |every )?(?:the )?(?:occurrences?|uses?|usages?|mentions?|references?) (?:of|to) (.+?)(?: (?:in|inside|under) (?:the )?(\S+)(?: (?:folder|directory|dir))?)?$/i.exec(
      text,
    );
  if (!match?.[1] || /^(?:at|into|like|up) /i.test(match[1])) return undefined;
  const pattern = masked.value(match[1].replace(/^(?:the )?(?:word|text|string|pattern) /i, ''));
  return [omitUndefined({ kind: 'search' as const, pattern, path: placeOf(match[2], masked) })];
};

export const readList: ClauseReader = (text, masked) => {
  const files =
    /^(?:list|show|display|ls|dir|see)(?: me)?(?: all)?(?: of)?(?: the| my| our)? ?(?:files|folders?|directory|directories|contents?|everything)(?: and (?:files|folders|directories))?(?: (?:in|inside|of|under|from|at) (?:the |my |this )?(\S+)(?: (?:folder|directory|dir|project|workspace))?| here)?$/i.exec(
      text,
    ) ??
    /^(?:what|which) files (?:are|exist|do (?:we|i|you) (?:have|see))(?: there| here)?(?: (?:in|inside|under) (?:the |my |this )?(\S+)(?: (?:folder|directory|dir|project|workspace))?)?$/i.exec(
      text,
    );
  // "the contents of index.ts" are a file's, not a folder's.
  if (files?.[1] && /\bcontents?\b/i.test(text) && /\.\w{1,12}$/.test(masked.value(files[1])))
    return undefined;
  if (files) return [{ kind: 'list', path: placeOf(files[1], masked) ?? '.' }];
  if (/^(?:list|ls|dir)$/i.test(text)) return [{ kind: 'list', path: '.' }];
  const place = new RegExp(`^(?:list|ls|dir) (?:the )?([^\\s-]\\S*)${FOLDER_TAIL}$`, 'i').exec(text);
  return place?.[1] ? [{ kind: 'list', path: placeOf(place[1], masked) ?? '.' }] : undefined;
};

const HERE =
  /^(?:\.|here|it|this|current|project|codebase|code|workspace|repo|repository|root|working|cwd|files?|all|everything|everywhere)$/i;

function placeOf(word: string | undefined, masked: MaskedText): string | undefined {
  return word === undefined || HERE.test(word) ? undefined : masked.value(word);
}

export const readRead: ClauseReader = (text, masked) => {
  const match = new RegExp(
    `^(?:read|show|cat|open|view|display|print|look (?:at|into)|see|check|inspect|examine|load|get|summari[sz]e|explain|what(?:'s| is) (?:in|inside)|what does)(?: me| us)?(?: (?:the|all|my|our))?(?: (?:contents?|text) of)? ${FILE_WORDS}(?:files )?(\\S+)(?: .*)?$`,
    'i',
  ).exec(text);
  const word = match?.[1]?.replace(/[,;:]+$/, '') ?? '';
  const path = masked.value(word);
  const isNamedFile = /^(?:read|show|cat|open|view|print)\b.* file (?:called |named )?\S+$/i.test(text);
  return isPathLike(path) || (path !== '' && isNamedFile) ? [{ kind: 'read', path }] : undefined;
};

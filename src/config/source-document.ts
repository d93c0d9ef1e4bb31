// Reads YAML and JSON with comments into plain values, and remembers where in the text each key and value stands.
import {
  findNodeAtLocation,
  type Node as JsonNode,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, type Node as YamlNode } from 'yaml';

export type ConfigPath = readonly (string | number)[];

export interface SyntaxProblem {
  readonly message: string;
  readonly offset: number;
}

export interface SourceDocument {
  readonly file: string;
  readonly text: string;
  readonly value: unknown;
  readonly syntaxProblems: readonly SyntaxProblem[];
  /** The offset of a key or value in the text; of the nearest parent when it is not there itself. */
  offsetOf(path: ConfigPath, part: 'key' | 'value'): number;
}

export function parseSource(file: string, text: string): SourceDocument {
  return /\.jsonc?$/i.test(file) ? parseJsonSource(file, text) : parseYamlSource(file, text);
}

export interface Position {
  readonly line: number;
  readonly column: number;
  readonly sourceLine: string;
}

/** Line and column count from one, as editors do. */
export function positionAt(text: string, offset: number): Position {
  const end = Math.min(Math.max(offset, 0), text.length);
  const lineStart = text.lastIndexOf('\n', end - 1) + 1;
  let line = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < end; index = text.indexOf('\n', index + 1))
    line++;
  const lineEnd = text.indexOf('\n', lineStart);
  const sourceLine = text.slice(lineStart, lineEnd === -1 ? text.length : lineEnd).replace(/\r$/, '');
  return { line, column: end - lineStart + 1, sourceLine };
}

function parseYamlSource(file: string, text: string): SourceDocument {
  const document = parseDocument(text, {
    lineCounter: new LineCounter(),
    prettyErrors: false,
    uniqueKeys: true,
  });
  const syntaxProblems = document.errors.map((error) => ({
    message: plainSentence(error.message),
    offset: error.pos[0],
  }));
  // maxAliasCount stays at yaml's default, which stops alias bombs; toJS then throws, and that is a problem as well.
  let value: unknown;
  try {
    value = syntaxProblems.length > 0 ? undefined : document.toJS();
  } catch (error) {
    syntaxProblems.push({
      message: error instanceof Error ? plainSentence(error.message) : 'Unreadable.',
      offset: 0,
    });
  }
  return {
    file,
    text,
    value,
    syntaxProblems,
    offsetOf: (path, part) => yamlOffset(document.contents, path, part),
  };
}

function yamlOffset(root: unknown, path: ConfigPath, part: 'key' | 'value'): number {
  let node: unknown = root;
  let offset = startOf(root);
  for (const [index, step] of path.entries()) {
    const isLast = index === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (!pair) return offset;
      offset = startOf(pair.key, offset);
      node = pair.value;
      if (isLast && part === 'value') offset = startOf(pair.value, offset);
    } else if (isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      offset = startOf(node, offset);
    } else {
      return offset;
    }
  }
  return offset;
}

function startOf(node: unknown, fallback = 0): number {
  return isNode(node) ? ((node as YamlNode).range?.[0] ?? fallback) : fallback; // isNode narrows to a wider type
}

function parseJsonSource(file: string, text: string): SourceDocument {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const syntaxProblems = errors.map((error) => ({
    message: `${splitWords(printParseErrorCode(error.error))}.`,
    offset: error.offset,
  }));
  return {
    file,
    text,
    value: root && syntaxProblems.length === 0 ? jsonValue(root) : undefined,
    syntaxProblems,
    offsetOf: (path, part) => jsonOffset(root, path, part),
  };
}

function jsonValue(node: JsonNode): unknown {
  const children = node.children ?? [];
  if (node.type === 'array') return children.map(jsonValue);
  if (node.type !== 'object') return node.value;
  return Object.fromEntries(
    children.map(({ children: pair }) => [String(pair?.[0]?.value), pair?.[1] ? jsonValue(pair[1]) : null]),
  );
}

function jsonOffset(root: JsonNode | undefined, path: ConfigPath, part: 'key' | 'value'): number {
  if (!root) return 0;
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(root, path.slice(0, length));
    if (!node) continue;
    const wantsValue = length === path.length && part === 'value';
    const key = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
    return wantsValue || !key ? node.offset : key.offset;
  }
  return root.offset;
}

/** `PropertyNameExpected` reads better as "Property name expected". */
function splitWords(code: string): string {
  const words = code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function plainSentence(message: string): string {
  const first = message.split('\n', 1)[0]?.trim() ?? '';
  return first.endsWith('.') ? first : `${first}.`;
}

import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  modify,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { GatewayError, type JsonValue } from '../core/index.ts';

export interface JsonSetting {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

/** Sets single values in JSON text; comments, order and spacing of everything else stay as they are. */
export function setJsonValues(text: string, settings: readonly JsonSetting[]): string {
  let current = text.trim() === '' ? '{}\n' : text;
  checkJson(current);
  for (const { path, value } of settings) {
    const root = parseTree(current);
    const node = root && findNodeAtLocation(root, [...path]);
    if (node && JSON.stringify(getNodeValue(node)) === JSON.stringify(value)) continue;
    const eol = current.includes('\r\n') ? '\r\n' : '\n';
    const formattingOptions = { ...detectIndent(current), eol, insertFinalNewline: true };
    current = applyEdits(current, modify(current, [...path], value, { formattingOptions }));
  }
  return current;
}

function checkJson(text: string): void {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new GatewayError(
      'conflict',
      `The file is not valid JSON (line ${line}: ${printParseErrorCode(first.error)}) and was left alone. Mend it and try again.`,
    );
  }
  if (root?.type !== 'object') {
    throw new GatewayError(
      'conflict',
      'The file holds no JSON object and was left alone. Mend it and try again.',
    );
  }
}

function detectIndent(text: string): { insertSpaces: boolean; tabSize: number } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1];
  if (indent?.startsWith('\t')) return { insertSpaces: false, tabSize: 4 };
  return { insertSpaces: true, tabSize: Math.min(indent?.length ?? 2, 8) };
}

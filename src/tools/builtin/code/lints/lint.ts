import type { JsonObject } from '../../../../core/index.ts';
import { omitUndefined } from '../../../../core/index.ts';

/** 1 error, 2 warning, 3 information, 4 hint, as editors number them. */
export type Severity = 1 | 2 | 3 | 4;

/** One finding. Lines and columns count from 1. */
export interface Lint {
  /** Relative to the workspace. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly message: string;
  readonly severity: Severity;
  /** Who found it. */
  readonly source: string;
  readonly code?: string | undefined;
}

const SEVERITY_NAMES: Readonly<Record<Severity, string>> = { 1: 'error', 2: 'warning', 3: 'info', 4: 'hint' };

export function formatLint(lint: Lint): string {
  const code = lint.code === undefined ? '' : ` ${lint.code}`;
  return `  ${lint.line}:${lint.column}  ${SEVERITY_NAMES[lint.severity]}  ${lint.message.replace(/\s*\n\s*/g, ' ')}  (${lint.source}${code})`;
}

/** In the shape of the native `LinterError`. */
export function lintData(lint: Lint): JsonObject {
  return omitUndefined({
    message: lint.message,
    range: {
      start_position: { line: lint.line, column: lint.column },
      end_position: { line: lint.endLine, column: lint.endColumn },
    },
    source: lint.source,
    severity: lint.severity,
    code: lint.code,
  });
}

export function byFile(lints: readonly Lint[]): Map<string, Lint[]> {
  const files = new Map<string, Lint[]>();
  for (const lint of [...lints].sort(compareLints)) {
    const known = files.get(lint.file);
    if (known) known.push(lint);
    else files.set(lint.file, [lint]);
  }
  return files;
}

function compareLints(left: Lint, right: Lint): number {
  if (left.file !== right.file) return left.file < right.file ? -1 : 1;
  return left.line - right.line || left.column - right.column || left.severity - right.severity;
}

// Linters that a project brings or the machine has, run as programs with JSON output: Biome 2 (`lint --reporter=json`), ESLint 8
// and 9 (`--format json`), Ruff (`check --output-format json`). Fixes go through standard input and output, so that no linter
// writes a file by itself. Biome's report was looked at here; ESLint's and Ruff's are known from their documentation.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { ToolContext } from '../../../tool-context.ts';
import type { SearchRoot } from '../../search/search-root.ts';
import { findProgramOnPath, findProjectProgram, shellText } from '../find-program.ts';
import { type ProgramEnd, runProgram } from '../run-program.ts';
import type { Lint, Severity } from './lint.ts';
import type { Linter, LintReport } from './linter.ts';

const READ_LIMIT_MS = 60_000;
const FIX_LIMIT_MS = 20_000;

interface ProgramRow {
  readonly name: string;
  /** Any of these in the workspace root says that the project uses it. */
  readonly configs: readonly string[];
  readonly extensions: readonly string[];
  readonly isOnPath: boolean;
  readArguments(targets: readonly string[]): string[];
  fixArguments(file: string): string[];
  parse(output: string, root: SearchRoot): Lint[];
  /** The whole mended text from what a fixing run has printed; undefined for no change. */
  parseFix(output: string): string | undefined;
}

const SCRIPTS = ['.js', '.mjs', '.cjs', '.jsx', '.ts', '.mts', '.cts', '.tsx'];

const BIOME: ProgramRow = {
  name: 'biome',
  configs: ['biome.json', 'biome.jsonc', '.biome.json', '.biome.jsonc'],
  extensions: [...SCRIPTS, '.json', '.jsonc', '.css', '.graphql'],
  isOnPath: false,
  readArguments: (targets) => [
    'lint',
    '--reporter=json',
    '--max-diagnostics=1000',
    '--no-errors-on-unmatched',
    '--',
    ...targets,
  ],
  fixArguments: (file) => ['lint', '--write', `--stdin-file-path=${file}`],
  parse: parseBiome,
  parseFix: (output) => output,
};

const ESLINT: ProgramRow = {
  name: 'eslint',
  configs: ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts']
    .map((extension) => `eslint.config.${extension}`)
    .concat(['', '.js', '.cjs', '.json', '.yaml', '.yml'].map((extension) => `.eslintrc${extension}`)),
  extensions: SCRIPTS,
  isOnPath: false,
  readArguments: (targets) => ['--format', 'json', '--no-error-on-unmatched-pattern', '--', ...targets],
  fixArguments: (file) => ['--format', 'json', '--fix-dry-run', '--stdin', `--stdin-filename=${file}`],
  parse: parseEslint,
  parseFix: (output) => eslintReport.parse(JSON.parse(output))[0]?.output,
};

const RUFF: ProgramRow = {
  name: 'ruff',
  configs: ['ruff.toml', '.ruff.toml', 'pyproject.toml', 'setup.py', 'requirements.txt'],
  extensions: ['.py', '.pyi', '.ipynb'],
  isOnPath: true,
  readArguments: (targets) => [
    'check',
    '--output-format',
    'json',
    '--no-cache',
    '--exit-zero',
    '--',
    ...targets,
  ],
  fixArguments: (file) => [
    'check',
    '--fix',
    '--quiet',
    '--no-cache',
    '--exit-zero',
    `--stdin-filename=${file}`,
    '-',
  ],
  parse: parseRuff,
  parseFix: (output) => output,
};

/** Those that the project is set up for and whose program is there. */
export async function findProgramLinters(root: SearchRoot, context: ToolContext): Promise<Linter[]> {
  const linters: Linter[] = [];
  for (const row of [BIOME, ESLINT, RUFF]) {
    if (!row.configs.some((file) => existsSync(path.join(root.workspaceRoot, file)))) continue;
    const command =
      (await findProjectProgram(row.name, root.workspaceRoot)) ??
      (row.isOnPath ? await findProgramOnPath(row.name, context) : undefined);
    if (command !== undefined) linters.push(linterOf(row, command));
  }
  return linters;
}

function linterOf(row: ProgramRow, command: string): Linter {
  const handles = (file: string) =>
    path.extname(file) === '' || row.extensions.includes(path.extname(file).toLowerCase());
  return {
    name: row.name,
    commands: [
      shellText(command, row.readArguments(['.'])),
      // Each file by its own name when it comes to that.
      shellText(command, row.fixArguments('FILE')),
    ],
    async read(targets, root, context): Promise<LintReport> {
      const wanted = targets.filter((target) => target === '.' || handles(target) || isFolder(target, root));
      if (wanted.length === 0) return { lints: [] };
      const program = {
        command,
        args: row.readArguments(wanted),
        cwd: root.workspaceRoot,
        timeLimitMs: READ_LIMIT_MS,
      };
      const end = await runProgram(program, context);
      try {
        return { lints: row.parse(end.stdout, root), problem: problemOf(row.name, end) };
      } catch {
        const said = end.stderr.trim().split('\n').slice(0, 5).join('\n');
        return {
          lints: [],
          problem:
            problemOf(row.name, end) ?? `${row.name} gave no report (exit code ${end.exitCode}): ${said}`,
        };
      }
    },
    async fix(file, text, root, context) {
      if (!handles(file)) return undefined;
      const program = {
        command,
        args: row.fixArguments(file),
        cwd: root.workspaceRoot,
        input: text,
        timeLimitMs: FIX_LIMIT_MS,
      };
      const end = await runProgram(program, context);
      // A linter that stops on an error prints nothing, or the text unchanged; an empty answer must never empty a file.
      if (end.reason !== 'done' || end.stdout.trim() === '') return undefined;
      try {
        return row.parseFix(end.stdout);
      } catch {
        return undefined;
      }
    },
  };
}

function isFolder(target: string, root: SearchRoot): boolean {
  return existsSync(path.join(root.workspaceRoot, target, '.'));
}

function problemOf(name: string, end: ProgramEnd): string | undefined {
  switch (end.reason) {
    case 'done':
      return undefined;
    case 'timeout':
      return `${name} took longer than ${READ_LIMIT_MS / 1000} s and was stopped; give paths to check less.`;
    case 'cancelled':
      return `${name} was cancelled.`;
    case 'too-much-output':
      return `${name} reported too much and was stopped; give paths to check less.`;
    case 'not-started':
      return `${name} could not be started.`;
    default:
      return end.reason satisfies never;
  }
}

const place = z.object({ line: z.number(), column: z.number() });

const biomeReport = z.object({
  diagnostics: z.array(
    z.object({
      severity: z.string(),
      message: z.string(),
      category: z.string().optional(),
      location: z.object({ path: z.string(), start: place.optional(), end: place.optional() }).optional(),
    }),
  ),
});

function parseBiome(output: string): Lint[] {
  const severities: Readonly<Record<string, Severity>> = {
    fatal: 1,
    error: 1,
    warning: 2,
    information: 3,
    info: 3,
    hint: 4,
  };
  return biomeReport.parse(JSON.parse(output)).diagnostics.flatMap((item) => {
    if (!item.location) return [];
    const start = item.location.start ?? { line: 1, column: 1 };
    const end = item.location.end ?? start;
    return {
      file: path.normalize(item.location.path),
      line: start.line,
      column: start.column,
      endLine: end.line,
      endColumn: end.column,
      message: item.message,
      severity: severities[item.severity] ?? 1,
      source: 'biome',
      code: item.category,
    };
  });
}

const eslintReport = z.array(
  z.object({
    filePath: z.string(),
    output: z.string().optional(),
    messages: z.array(
      z.object({
        ruleId: z.string().nullish(),
        severity: z.number(),
        message: z.string(),
        line: z.number().nullish(),
        column: z.number().nullish(),
        endLine: z.number().nullish(),
        endColumn: z.number().nullish(),
      }),
    ),
  }),
);

function parseEslint(output: string, root: SearchRoot): Lint[] {
  return eslintReport.parse(JSON.parse(output)).flatMap(({ filePath, messages }) =>
    messages.map((item) => ({
      file: path.relative(root.workspaceRoot, filePath),
      line: item.line ?? 1,
      column: item.column ?? 1,
      endLine: item.endLine ?? item.line ?? 1,
      endColumn: item.endColumn ?? item.column ?? 1,
      message: item.message,
      severity: item.severity === 2 ? (1 as const) : (2 as const),
      source: 'eslint',
      code: item.ruleId ?? undefined,
    })),
  );
}

const ruffReport = z.array(
  z.object({
    code: z.string().nullish(),
    filename: z.string(),
    message: z.string(),
    location: z.object({ row: z.number(), column: z.number() }),
    end_location: z.object({ row: z.number(), column: z.number() }),
  }),
);

function parseRuff(output: string, root: SearchRoot): Lint[] {
  return ruffReport.parse(JSON.parse(output)).map((item) => ({
    file: path.relative(root.workspaceRoot, path.resolve(root.workspaceRoot, item.filename)),
    line: item.location.row,
    column: item.location.column,
    endLine: item.end_location.row,
    endColumn: item.end_location.column,
    message: item.message,
    // No code, or a syntax error's: the file does not parse.
    severity: item.code && item.code !== 'invalid-syntax' ? (2 as const) : (1 as const),
    source: 'ruff',
    code: item.code ?? undefined,
  }));
}

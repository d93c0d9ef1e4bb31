import { withoutDotSlash } from './ripgrep.ts';

/** One line of ripgrep's output, or one file in the modes that name files. */
export interface GrepEntry {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly isContext: boolean;
  readonly isCut: boolean;
  /** Matching lines in the file; only in count mode. */
  readonly count: number;
}

const CUT = / \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long line)\]$/;

/** `path NUL number :|- text`; undefined for separators, statistics and notes about binary files. */
export function readContentRecord(record: string): GrepEntry | undefined {
  const end = record.indexOf('\0');
  const found = end === -1 ? null : /^(\d+)([:-])/.exec(record.slice(end + 1, end + 24));
  if (!found) return undefined;
  const raw = record.slice(end + 1 + found[0].length).replace(/\r$/, '');
  const isCut = raw.length > 500 && CUT.test(raw);
  return {
    file: withoutDotSlash(record.slice(0, end)),
    line: Number(found[1]),
    text: isCut ? `${raw.replace(CUT, '')} […]` : raw,
    isContext: found[2] === '-',
    isCut,
    count: 0,
  };
}

/** `path NUL count`. */
export function readCountRecord(record: string): GrepEntry | undefined {
  const end = record.indexOf('\0');
  const count = end === -1 ? Number.NaN : Number(record.slice(end + 1));
  return Number.isInteger(count) ? fileEntry(record.slice(0, end), count) : undefined;
}

export function readFileRecord(record: string): GrepEntry | undefined {
  return record === '' ? undefined : fileEntry(record, 0);
}

function fileEntry(path: string, count: number): GrepEntry {
  return { file: withoutDotSlash(path), line: 0, text: '', isContext: false, isCut: false, count };
}

/** The line of `--stats` that says how many files were looked into. */
export function readFilesSearched(record: string): number | undefined {
  const found = /^(\d+) files searched$/.exec(record);
  return found ? Number(found[1]) : undefined;
}

const RUN_LENGTH = 5;
const BLOCK = 3;
const FINDER_LIKE = 40;
const BALANCE = 10;

/** Dark-light-dark-dark-dark-light-dark as in a finder, with four light modules on one side. */
const FALSE_FINDERS = ['10111010000', '00001011101'] as const;

/** How hard a code is to scan (ISO/IEC 18004, 7.8.3): runs, blocks, false finders, and too much of one colour. */
export function qrPenalty(modules: readonly (readonly boolean[])[]): number {
  const rows = modules.map(lineOf);
  const columns = modules.map((_, column) => lineOf(modules.map((row) => row[column] === true)));
  const lines = [...rows, ...columns];
  return (
    sum(lines.map(runPenalty)) + sum(lines.map(finderPenalty)) + blockPenalty(rows) + balancePenalty(rows)
  );
}

function lineOf(cells: readonly boolean[]): string {
  return cells.map((isDark) => (isDark ? '1' : '0')).join('');
}

function runPenalty(line: string): number {
  const runs = line.match(/0{5,}|1{5,}/g) ?? [];
  return sum(runs.map((run) => run.length - RUN_LENGTH + 3));
}

function finderPenalty(line: string): number {
  let found = 0;
  for (const pattern of FALSE_FINDERS) {
    for (let at = line.indexOf(pattern); at !== -1; at = line.indexOf(pattern, at + 1)) found++;
  }
  return found * FINDER_LIKE;
}

function blockPenalty(rows: readonly string[]): number {
  let blocks = 0;
  for (const [index, row] of rows.entries()) {
    const below = rows[index + 1] ?? '';
    for (let column = 0; column + 1 < below.length; column++) {
      const four = row.slice(column, column + 2) + below.slice(column, column + 2);
      if (four === '0000' || four === '1111') blocks++;
    }
  }
  return blocks * BLOCK;
}

function balancePenalty(rows: readonly string[]): number {
  const all = rows.join('');
  const dark = all.replaceAll('0', '').length;
  const percent = (dark / all.length) * 100;
  return Math.floor(Math.abs(percent - 50) / 5) * BALANCE;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

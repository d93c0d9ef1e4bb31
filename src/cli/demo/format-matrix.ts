import { type Ansi, formatTable, printable } from '../ansi.ts';
import type { MatrixCell } from './run-matrix.ts';

const MARKS: Readonly<Record<MatrixCell['state'], string>> = { ok: '✓', failed: '✗', gap: '–' };

/** One row a front, one column an upstream; each cell shows the answer in one piece and the streamed one. */
export function formatMatrix(cells: readonly MatrixCell[], ansi: Ansi): string {
  const fronts = [...new Set(cells.map(({ front }) => front))];
  const upstreams = [...new Set(cells.map(({ upstream }) => upstream))];
  const cellText = (front: string, upstream: string) =>
    cells
      .filter((cell) => cell.front === front && cell.upstream === upstream)
      .map(({ state, durationMs }) => MARKS[state] + (durationMs === undefined ? '' : ` ${durationMs} ms`))
      .join(', ');
  const rows = fronts.map((front) => [front, ...upstreams.map((upstream) => cellText(front, upstream))]);
  // Colours come after the widths are settled: escapes would count as characters.
  const table = formatTable([['front \\ upstream', ...upstreams], ...rows])
    .replaceAll('✓', ansi.green('✓'))
    .replaceAll('✗', ansi.red('✗'));
  const notes = cells
    .filter(({ problem }) => problem !== undefined)
    .map(
      ({ front, upstream, stream, state, problem = '' }) =>
        `${MARKS[state]} ${front} on ${upstream}${stream ? ', streamed' : ''}: ${printable(problem)}`,
    );
  return [table, ansi.dim('each cell: in one piece, streamed'), ...notes].join('\n');
}

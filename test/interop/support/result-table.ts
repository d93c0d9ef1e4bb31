/** Where a test stands in the table. */
export interface InteropCell {
  readonly client: string;
  readonly way: string;
  readonly scenario: string;
  /** Why it is expected to fail. */
  readonly knownGap?: string;
  /** What kept the run off the network. */
  protection?: string;
}

export interface CellResult extends InteropCell {
  readonly state: 'passed' | 'failed' | 'skipped' | 'pending';
  readonly durationMs?: number;
  /** Why it was skipped. */
  readonly note?: string;
}

/** Client × dialect down, scenarios across; below it what was skipped, what is known not to work, and what kept the runs off the network. */
export function formatResultTable(results: readonly CellResult[]): string {
  const scenarios = unique(results.map(({ scenario }) => scenario));
  const keys = unique(results.map(({ client, way }) => `${client}\n${way}`));
  const rows = keys.map((key) => {
    const [client = '', way = ''] = key.split('\n');
    const own = results.filter((result) => result.client === client && result.way === way);
    return [client, way, ...scenarios.map((scenario) => describeCell(own, scenario))];
  });
  const lines = alignColumns([['client', 'dialect', ...scenarios], ...rows]);
  const skipped = unique(
    results.flatMap(({ state, client, note }) =>
      state === 'skipped' && note ? [`skipped: ${client}: ${note}`] : [],
    ),
  );
  const gaps = unique(
    results.flatMap(({ client, way, knownGap }) =>
      knownGap ? [`known gap: ${client}, ${way}: ${knownGap}`] : [],
    ),
  );
  const protections = unique(
    results.flatMap(({ protection }) => (protection ? [`network: ${protection}`] : [])),
  );
  return [...lines, '', ...skipped, ...gaps, ...protections].join('\n');
}

function describeCell(own: readonly CellResult[], scenario: string): string {
  const cell = own.find((result) => result.scenario === scenario);
  if (!cell) return '–';
  // A gap that still fails as expected counts as passed; one that works is a failure of the list of gaps.
  if (cell.knownGap !== undefined && cell.state === 'passed') return 'gap';
  const word = { passed: 'pass', failed: 'FAIL', skipped: 'skip', pending: '–' }[cell.state];
  const isTimed = cell.state === 'passed' || cell.state === 'failed';
  return isTimed && cell.durationMs !== undefined ? `${word} ${(cell.durationMs / 1000).toFixed(1)} s` : word;
}

function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

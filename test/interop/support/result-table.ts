/** Where a test stands in the table. */
export interface InteropCell {
  readonly client: string;
  readonly way: string;
  readonly scenario: string;
  /** True for clients with many scenarios: a table of their own, with scenarios down and ways across. */
  readonly isTall?: boolean;
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

/** The tables; below them what was skipped, what is known not to work, and what kept the runs off the network. */
export function formatResultTable(results: readonly CellResult[]): string {
  const wide = results.filter(({ isTall }) => isTall !== true);
  const tall = results.filter(({ isTall }) => isTall === true);
  const lines = [
    ...(wide.length > 0 ? formatWide(wide) : []),
    ...(wide.length > 0 && tall.length > 0 ? [''] : []),
    ...(tall.length > 0 ? formatTall(tall) : []),
  ];
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

/** Client × dialect down, scenarios across. */
function formatWide(results: readonly CellResult[]): string[] {
  const scenarios = unique(results.map(({ scenario }) => scenario));
  const rows = splitByWay(results).map(({ client, way, own }) => [
    client,
    way,
    ...scenarios.map((scenario) => describeCell(own, scenario)),
  ]);
  return alignColumns([['client', 'dialect', ...scenarios], ...rows]);
}

/** Scenarios down, client × way across. */
function formatTall(results: readonly CellResult[]): string[] {
  const scenarios = unique(results.map(({ scenario }) => scenario));
  const columns = splitByWay(results);
  return alignColumns([
    ['scenario', ...columns.map(({ client, way }) => `${client}, ${way}`)],
    ...scenarios.map((scenario) => [scenario, ...columns.map(({ own }) => describeCell(own, scenario))]),
  ]);
}

function splitByWay(results: readonly CellResult[]): { client: string; way: string; own: CellResult[] }[] {
  const keys = unique(results.map(({ client, way }) => `${client}\n${way}`));
  return keys.map((key) => {
    const [client = '', way = ''] = key.split('\n');
    return { client, way, own: results.filter((result) => result.client === client && result.way === way) };
  });
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

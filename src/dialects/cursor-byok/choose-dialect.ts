import { invalidRequest } from '../../core/index.ts';
import type { FrontRequest } from '../dialect.ts';
import { OUTPUT_DIALECTS, type OutputDialect } from './byok-extra.ts';

const HEADER = 'x-crosspoint-dialect';

/** The header speaks for this request, the query for this base URL, the configuration for the rest. */
export function chooseDialect(
  request: Pick<FrontRequest, 'headers' | 'query'>,
  configured: OutputDialect,
): OutputDialect {
  const fromHeader = request.headers[HEADER];
  const wanted = fromHeader ?? request.query.get('dialect') ?? configured;
  const dialect = OUTPUT_DIALECTS.find((word) => word === wanted.trim().toLowerCase());
  if (dialect) return dialect;
  const param = fromHeader === undefined ? 'dialect' : HEADER;
  throw invalidRequest(
    `There is no output dialect ${JSON.stringify(wanted.slice(0, 40))}; \`${param}\` must be one of ${OUTPUT_DIALECTS.join(', ')}.`,
    param,
    'unknown_dialect',
  );
}

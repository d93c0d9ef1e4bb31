import { type DestinationStream, type Logger, type LevelWithSilent as PinoLevel, pino } from 'pino';
import { formatPretty } from './pretty-line.ts';
import { createRedactor, type Redactor } from './redact.ts';

export type Log = Logger;
export type LogLevel = PinoLevel;

export interface LogOptions {
  readonly level: LogLevel;
  /** Left out: `pretty` on a terminal, else `json`. */
  readonly format?: 'json' | 'pretty' | undefined;
  /** Known secrets; ignored when a redactor is given. */
  readonly secrets?: readonly string[];
  /** Share one redactor with the server, so that a secret learnt later disappears everywhere. */
  readonly redactor?: Redactor;
  /** Where whole lines go; standard error unless told. */
  readonly destination?: DestinationStream;
}

/** The log. Redaction happens on the finished line: whatever was logged, nested errors included, passes through it. */
export function createLog(options: LogOptions): Log {
  const redactor = options.redactor ?? createRedactor(options.secrets);
  const isTerminal = options.destination === undefined && process.stderr.isTTY === true;
  const format = options.format ?? (isTerminal ? 'pretty' : 'json');
  // Not synchronous: a full pipe must not stop the turns. pino flushes what is left when the process exits.
  const target = options.destination ?? pino.destination({ dest: 2, sync: false });
  const destination: DestinationStream = {
    write(line) {
      const text = format === 'pretty' ? formatPretty(line, { colour: isTerminal }) : line;
      target.write(redactor.redact(text));
    },
  };
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: serializeError, error: serializeError, cause: serializeError },
    },
    destination,
  );
}

const MAX_CAUSES = 8;

/** Name, message, code and causes; the stack of the outermost error only. Never throws, whatever was thrown. */
function serializeError(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const own: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(thrown)) if (value !== undefined) own[key] = value;
  own.type = thrown.name;
  own.message = thrown.message;
  if (depth === 0) own.stack = thrown.stack;
  if (thrown instanceof AggregateError && depth < MAX_CAUSES) {
    own.errors = thrown.errors.slice(0, MAX_CAUSES).map((error) => serializeError(error, depth + 1));
  }
  if (thrown.cause !== undefined && depth < MAX_CAUSES) own.cause = serializeError(thrown.cause, depth + 1);
  return own;
}

export { createLog, type Log, type LogLevel, type LogOptions } from './log.ts';
export { createMetrics, type Metrics } from './metrics.ts';
export { createRedactor, type Redactor } from './redact.ts';
export { type TurnLogLine, turnLogLine } from './turn-log-line.ts';

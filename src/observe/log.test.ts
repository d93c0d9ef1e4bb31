import { describe, expect, test } from 'vitest';
import { GatewayError } from '../core/index.ts';
import { createLog, type LogOptions } from './log.ts';
import { formatPretty } from './pretty-line.ts';
import { createRedactor } from './redact.ts';

const SECRET = 'planted-secret-value';

function capture(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  return { lines, log: createLog({ level: 'debug', secrets: [SECRET], destination, ...options }) };
}

describe('createLog', () => {
  test('writes one JSON line with an ISO time and a level word', () => {
    const { lines, log } = capture();
    log.info({ turnId: 't1' }, 'hello');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', msg: 'hello', turnId: 't1' });
  });

  test.each(['json', 'pretty'] as const)(
    'lets no planted secret out of nested errors and causes (%s)',
    (format) => {
      const { lines, log } = capture({ format });
      const root = new Error(`socket said ${SECRET}`);
      const middle = new AggregateError([new Error(`one ${SECRET}`)], 'several', { cause: root });
      const outer = new GatewayError('upstream-rejected', 'refused sk-abcdefghijklmnop', {
        cause: middle,
        detail: { upstreamBody: { echoed: { deep: [SECRET, `x-api-key: ${SECRET}`] } } },
      });
      log.error(
        { err: outer, headers: { authorization: 'Bearer zzz999zzz' }, [SECRET]: SECRET },
        `m ${SECRET}`,
      );
      log.child({ key: SECRET }).warn(root);
      const all = lines.join('');
      expect(all).not.toContain(SECRET);
      expect(all).not.toContain('abcdefghijklmnop');
      expect(all).not.toContain('zzz999zzz');
      expect(all).toContain('[redacted]');
    },
  );

  test('keeps the code, the message and the causes of an error', () => {
    const { lines, log } = capture();
    log.error({ err: new GatewayError('too-large', 'big', { cause: new Error('why') }) });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      err: { code: 'too-large', message: 'big', cause: { message: 'why' } },
    });
  });

  test('removes a secret the shared redactor learnt later', () => {
    const redactor = createRedactor();
    const { lines, log } = capture({ redactor });
    redactor.addSecret('fresh-access-token');
    log.info('got fresh-access-token');
    expect(lines[0]).not.toContain('fresh-access-token');
  });

  test('survives an error that is its own cause', () => {
    const { lines, log } = capture();
    const error = new Error('loop');
    error.cause = error;
    log.error({ err: error });
    expect(lines).toHaveLength(1);
  });
});

describe('formatPretty', () => {
  test('makes one readable line', () => {
    const line = JSON.stringify({
      level: 'warn',
      time: '2026-01-02T03:04:05.678Z',
      msg: 'slow',
      upstream: 'local',
      err: { type: 'GatewayError', code: 'internal', message: 'x', cause: { type: 'Error', message: 'y' } },
    });
    expect(formatPretty(line, { colour: false })).toBe(
      '03:04:05 WARN  slow upstream=local GatewayError [internal]: x ← Error: y\n',
    );
  });

  test('does not let a message forge a second line or drive the terminal', () => {
    const line = JSON.stringify({ level: 'info', time: '', msg: 'a\n03:04:05 INFO forged\u001b[2J' });
    expect(formatPretty(line, { colour: false }).trimEnd()).toBe('INFO  a 03:04:05 INFO forged [2J');
  });
});

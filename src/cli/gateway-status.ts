import type { z } from 'zod';
import { statusSchema, turnsSchema } from '../server/admin/schema.ts';
import { type Ansi, formatTable, printable } from './ansi.ts';

const recentSchema = turnsSchema.pick({ recent: true });

/** What is known of a running gateway, ready to be shown. */
export interface GatewayStatus extends z.infer<typeof statusSchema> {
  readonly uptimeMs: number;
  /** Sums over the newest turns of the journal. */
  readonly recent: {
    readonly turns: number;
    readonly failed: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
  };
}

export function readStatus(status: unknown, turns: unknown, nowMs: number): GatewayStatus {
  const parsed = statusSchema.parse(status);
  const { recent } = recentSchema.parse(turns);
  const sum = (kind: 'inputTokens' | 'outputTokens') =>
    recent.reduce((total, { usage }) => total + (usage?.[kind] ?? 0), 0);
  return {
    ...parsed,
    uptimeMs: Math.max(0, nowMs - parsed.startedAtMs),
    recent: {
      turns: recent.length,
      failed: recent.filter(({ outcome }) => outcome === 'error').length,
      inputTokens: sum('inputTokens'),
      outputTokens: sum('outputTokens'),
    },
  };
}

export function formatStatus(status: GatewayStatus, adminToken: string, ansi: Ansi): string {
  const { uptimeMs, liveTurns, upstreams, recent, authMode, store, defaultModel, isDraining } = status;
  const tokens = `${recent.inputTokens} tokens in, ${recent.outputTokens} out`;
  const rows = [
    ['  Uptime', `${formatDuration(uptimeMs)}${isDraining ? ', closing' : ''}`],
    ['  Turns', `${liveTurns} live; recently ${recent.turns}, ${recent.failed} failed, ${tokens}`],
    ['  Keys', authMode === 'keys' ? 'required' : 'not required'],
    ['  Store', store],
    ...(defaultModel === undefined ? [] : [['  Default', printable(defaultModel)]]),
    ...upstreams.map((upstream, index) => [index === 0 ? '  Upstreams' : '', formatUpstream(upstream, ansi)]),
    ['  Admin', `/api/… with the token ${adminToken}`],
  ];
  return `${formatTable(rows)}\n`;
}

function formatUpstream(upstream: GatewayStatus['upstreams'][number], ansi: Ansi): string {
  const { name, kind, state, models, lastError } = upstream;
  const paint = { ok: ansi.green, failing: ansi.red, unknown: ansi.dim }[state];
  const count = models === undefined ? undefined : `${models} ${models === 1 ? 'model' : 'models'}`;
  const parts = [printable(name), kind, paint(state), count, lastError && printable(lastError)];
  return parts.filter((part) => part !== undefined && part !== '').join('  ');
}

export function formatDuration(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

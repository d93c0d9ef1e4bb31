// What upstreams say when they refuse: their words, and how long to wait. Shared by every dialect's errors.
const MAX_CHARACTERS = 2000;
const SECRETS = /\b(?:sk|pk|rk|gsk|xai|key)-[\w*-]{6,}|\bBearer\s+\S+/gi;

/** An upstream's message without what looks like a key, and not without end. */
export function tidyMessage(message: string, maxCharacters = MAX_CHARACTERS): string {
  const clean = message.replace(SECRETS, '[redacted]').trim();
  return clean.length > maxCharacters ? `${clean.slice(0, maxCharacters)}…` : clean;
}

/** Milliseconds to wait, from `retry-after-ms` or `retry-after` as seconds or as a date. */
export function readRetryAfter(
  headers: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): number | undefined {
  const inMs = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (Number.isFinite(inMs) && inMs >= 0) return inMs;
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d+(?:\.\d+)?$/.test(value)) return Number(value) * 1000;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs);
}

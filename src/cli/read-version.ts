import { readFileSync } from 'node:fs';

/** The version in package.json, which stands two folders up both in `src/cli` and in `dist/cli`. */
export function readVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const manifest: unknown = JSON.parse(text);
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return hasVersion ? String(manifest.version) : '0.0.0';
}

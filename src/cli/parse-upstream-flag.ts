import { type Config, isHttpUrl, joinOr, type Override } from '../config/index.ts';
import { invalidRequest, nearestName } from '../core/index.ts';

export interface UpstreamFlag {
  readonly name: string;
  readonly kind: Config['upstreams'][string]['kind'];
  readonly baseUrl?: string;
}

const FORM = 'NAME:KIND=URL, e.g. local:openai-chat=http://127.0.0.1:8000/v1';

/** Reads `NAME:KIND=URL`; the address may be left out for kinds that need none (`try:demo`). */
export function parseUpstreamFlag(written: string, kinds: readonly string[]): UpstreamFlag {
  const fail = (what: string) =>
    invalidRequest(`--upstream ${written}: ${what} Write ${FORM}.`, '--upstream');
  const equals = written.indexOf('=');
  const head = equals === -1 ? written : written.slice(0, equals);
  const colon = head.indexOf(':');
  if (colon === -1) throw fail('the kind is missing.');
  const name = head.slice(0, colon);
  const kind = head.slice(colon + 1);
  if (!/^[A-Za-z0-9][\w.-]*$/.test(name)) {
    throw fail(`the name ${JSON.stringify(name)} may hold letters, digits, ".", "_" and "-" only.`);
  }
  if (!kinds.includes(kind)) {
    const nearest = nearestName(kind, kinds);
    const hint = nearest ? `Did you mean ${nearest}?` : `This version has ${joinOr(kinds)}.`;
    throw fail(`the kind ${JSON.stringify(kind)} is not known. ${hint}`);
  }
  if (equals === -1) return { name, kind };
  const baseUrl = written.slice(equals + 1);
  if (!isHttpUrl(baseUrl)) throw fail('the address must begin with http:// or https://.');
  return { name, kind, baseUrl };
}

export function upstreamOverrides({ name, kind, baseUrl }: UpstreamFlag): Override[] {
  const origin = { flag: `--upstream ${name}` };
  const kindOverride: Override = { path: ['upstreams', name, 'kind'], value: kind, origin };
  if (baseUrl === undefined) return [kindOverride];
  return [kindOverride, { path: ['upstreams', name, 'baseUrl'], value: baseUrl, origin }];
}

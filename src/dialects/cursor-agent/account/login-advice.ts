export const CURSOR_BASE_URL = 'https://api2.cursor.sh';

/** The command that logs in at a backend. */
export function loginAdvice(baseUrl: string): string {
  const { host, origin } = new URL(baseUrl);
  return host === new URL(CURSOR_BASE_URL).host
    ? 'crosspoint login'
    : `crosspoint login --base-url ${origin}`;
}

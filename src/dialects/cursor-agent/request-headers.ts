// Headers that say who calls, with which token, and whether the backend may keep what it sees.
// The client name is our own. A backend that serves its makers' clients only will refuse it; `headers` of the upstream
// can then say what the operator's agreement with the backend allows.
export interface RequestHeaderOptions {
  readonly token: string;
  readonly isPrivate: boolean;
  /** The operator's; they win, the token aside. */
  readonly configured: Readonly<Record<string, string>>;
}

export function requestHeaders({
  token,
  isPrivate,
  configured,
}: RequestHeaderOptions): Record<string, string> {
  const own = Object.entries(configured).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  return {
    'x-cursor-client-type': 'sdk',
    'x-cursor-client-version': 'crosspoint',
    'x-ghost-mode': String(isPrivate),
    ...Object.fromEntries(own),
    authorization: `Bearer ${token}`,
  };
}

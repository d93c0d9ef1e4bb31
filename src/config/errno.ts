/** The system's code of a failed call (`ENOENT`, `EEXIST`, …), if the thrown value has one. */
export function errnoOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

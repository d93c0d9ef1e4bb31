/** Ids are numbers on the wire and text for models; `shell_3` is how some write them. */
export function readJobId(given: string): number | undefined {
  const digits = /^\s*(?:[a-z]+[ _-]?)?#?(\d{1,9})\s*$/i.exec(given)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

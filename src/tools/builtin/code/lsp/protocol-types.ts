// The few messages of the Language Server Protocol that are read here, checked on arrival. Lines and characters count from 0.
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

const position = z.object({ line: z.number().int().min(0), character: z.number().int().min(0) });
const range = z.object({ start: position, end: position });
export type LspRange = z.output<typeof range>;

const location = z.object({ uri: z.string(), range });
const link = z.object({ targetUri: z.string(), targetSelectionRange: range });

export interface LspLocation {
  readonly path: string;
  readonly range: LspRange;
}

/** A definition answer has four shapes: nothing, one place, places, links. */
export function readLocations(answer: unknown): LspLocation[] {
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return items.flatMap((item) => {
    const asLocation = location.safeParse(item);
    if (asLocation.success) return fromUri(asLocation.data.uri, asLocation.data.range);
    const asLink = link.safeParse(item);
    return asLink.success ? fromUri(asLink.data.targetUri, asLink.data.targetSelectionRange) : [];
  });
}

function fromUri(uri: string, at: LspRange): LspLocation[] {
  try {
    return [{ path: fileURLToPath(uri), range: at }];
  } catch {
    // A server's own scheme, e.g. for a bundled library: nothing to open.
    return [];
  }
}

const diagnostic = z.object({
  range,
  message: z.string(),
  severity: z.number().int().min(1).max(4).default(1),
  code: z.union([z.string(), z.number()]).optional(),
  source: z.string().optional(),
});
export type LspDiagnostic = z.output<typeof diagnostic>;

export function readDiagnostics(items: unknown): LspDiagnostic[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item) => {
    const parsed = diagnostic.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}

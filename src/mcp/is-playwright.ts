// Browser-driving servers have a protection of their own. A server is one if any of these says so: a false alarm costs
// a question, a miss would let a page be driven unasked. Packages known: @playwright/mcp, playwright-mcp,
// @executeautomation/playwright-mcp-server, mcp-server-playwright.
import type { ServerDefinition } from './server-definition.ts';

export interface ServerFace {
  /** How the server names itself. */
  readonly name?: string | undefined;
  readonly tools?: readonly string[] | undefined;
}

export function isPlaywright({ name, config }: ServerDefinition, face: ServerFace = {}): boolean {
  const words = [name, config.command, ...config.args, config.url, face.name];
  if (words.some((word) => word !== undefined && /playwright/i.test(word))) return true;
  return (face.tools ?? []).some((tool) =>
    /^(?:browser|playwright)[_-](?:navigate|click|snapshot|evaluate)/i.test(tool),
  );
}

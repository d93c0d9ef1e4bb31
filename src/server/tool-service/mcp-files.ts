import path from 'node:path';

/** What was agreed to, and what was signed in to; apart from the folder that tools may read. */
export function mcpFiles(stateHome: string): { readonly pins: string; readonly tokens: string } {
  return {
    pins: path.join(stateHome, 'mcp', 'agreed.json'),
    // A name that the policy knows to hold secrets, wherever it stands.
    tokens: path.join(stateHome, 'mcp', 'credentials.json'),
  };
}

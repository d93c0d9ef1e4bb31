import path from 'node:path';

/** Where answers of "always" and trust in workspaces are kept. */
export function policyFiles(stateHome: string): { readonly rules: string; readonly trust: string } {
  return {
    rules: path.join(stateHome, 'policy', 'rules.yaml'),
    trust: path.join(stateHome, 'policy', 'trusted-workspaces.json'),
  };
}

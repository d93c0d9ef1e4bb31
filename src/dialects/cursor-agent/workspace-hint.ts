// The backend wants to know where its tools would run; a stateless client says that, if at all, in its system prompt.
// The lines are those of the prompts of Claude Code, OpenCode and Codex.
const DIRECTORY =
  /^[\s\-*]*(?:<cwd>|(?:primary |current )?working directory:|cwd:|workspace (?:path|root|folder):)\s*["'`]?((?:\/|[A-Za-z]:\\)[^"'`<\n]*)/im;
const PLATFORM = /^[\s\-*]*(?:platform|os(?: version)?|operating system):\s*["'`]?([^"'`<\n]{1,80})/im;

export interface WorkspaceHint {
  readonly directory?: string;
  readonly platform?: string;
}

export function readWorkspaceHint(text: string): WorkspaceHint {
  const directory = DIRECTORY.exec(text)?.[1]?.trim();
  const platform = PLATFORM.exec(text)?.[1]?.trim();
  return { ...(directory ? { directory } : {}), ...(platform ? { platform } : {}) };
}

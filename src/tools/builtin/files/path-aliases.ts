/** Every name that any era gave to the one file a call is about. */
export const PATH_ALIASES = [
  'path',
  'file_path',
  'target_file',
  'relative_workspace_path',
  'file',
  'filename',
  'target_notebook',
  'notebook_path',
  'absolute_path',
  'effective_uri',
  'uri',
] as const;

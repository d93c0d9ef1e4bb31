/** Case and punctuation carry no meaning in tool names: `read_file`, `ReadFile` and `Read-File` are one. */
export function foldToolName(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');
}

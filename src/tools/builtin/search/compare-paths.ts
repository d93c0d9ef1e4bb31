/** Folder by folder, as a sorted walk meets them: `a/z` before `a.ts`. */
export function comparePaths(left: string, right: string): number {
  const a = left.replace(/[\\/]/g, '\0');
  const b = right.replace(/[\\/]/g, '\0');
  return a < b ? -1 : a > b ? 1 : 0;
}

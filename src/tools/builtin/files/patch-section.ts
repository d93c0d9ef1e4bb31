import type { Hunk } from './apply-hunks.ts';
import type { PathUse } from './path-claims.ts';

/** What a patch, in whichever language, does to one file. */
export type PatchSection =
  | { readonly type: 'add'; readonly path: string; readonly text: string }
  | { readonly type: 'delete'; readonly path: string }
  | {
      readonly type: 'update';
      readonly path: string;
      readonly hunks: readonly Hunk[];
      readonly moveTo?: string;
      /** A copy leaves the first file as it is. */
      readonly isCopy?: boolean;
    };

export function usesOfSections(sections: readonly PatchSection[]): PathUse[] {
  return sections.flatMap(usesOf);
}

function usesOf(section: PatchSection): PathUse[] {
  switch (section.type) {
    case 'add':
      return [{ path: section.path, access: ['read', 'write'] }];
    case 'delete':
      return [{ path: section.path, access: ['read', 'delete'] }];
    case 'update':
      return section.moveTo === undefined
        ? [{ path: section.path, access: ['read', 'write'] }]
        : [
            { path: section.path, access: section.isCopy ? ['read'] : ['read', 'write', 'delete'] },
            { path: section.moveTo, access: ['read', 'write'] },
          ];
  }
}

// A search is allowed by the folder it looks through; rules may forbid single files below. Those are left out by name,
// from what ripgrep gives: its globs and those of rules are not the same language, and a file that slipped through a
// translation would be shown.
import path from 'node:path';
import type { PathNames } from '../../policy/match-path.ts';
import type { Policy } from '../../policy/policy.ts';
import { findReadDenials, type ReadDenials } from '../../policy/read-denials.ts';
import type { PolicyTool } from '../../policy/rule.ts';
import { defineResource } from '../../resources.ts';
import type { ToolContext } from '../../tool-context.ts';

/** The rules that searches obey for what they find; set by whoever starts the runtime, to the runtime's own policy. */
export const searchPolicy = defineResource<Policy | undefined>({
  name: 'searchPolicy',
  create: () => undefined,
});

interface SearchPlace {
  /** The folder or file that is searched, as it was named and as it really is. */
  readonly named: string;
  readonly real: string;
  readonly workspaceRoot: string;
}

export class ForbiddenFiles {
  readonly #denials: ReadDenials;
  readonly #place: SearchPlace;
  readonly #root: string;
  #folder: string | undefined;
  #isFolderForbidden = false;

  /** Undefined when no rule forbids the tool to read anything. */
  static find(tool: PolicyTool, place: SearchPlace, context: ToolContext): ForbiddenFiles | undefined {
    const policy = context.resources.get(searchPolicy);
    const denials = policy && findReadDenials(policy, tool);
    return denials && new ForbiddenFiles(denials, place, context.workspace.root);
  }

  private constructor(denials: ReadDenials, place: SearchPlace, root: string) {
    this.#denials = denials;
    this.#place = place;
    this.#root = root;
  }

  /** `file` as ripgrep gives it: relative to the workspace's real root, or absolute. It follows no links. */
  hides(file: string): boolean {
    const end = file.lastIndexOf(path.sep);
    return this.hidesIn(file.slice(0, Math.max(0, end)), file.slice(end + 1));
  }

  /** The same in two parts. Files of a folder come together, and what is forbidden above holds for all of them. */
  hidesIn(folder: string, name: string): boolean {
    if (folder !== this.#folder) {
      this.#folder = folder;
      this.#isFolderForbidden = this.#forbids(folder);
    }
    if (this.#isFolderForbidden) return true;
    return this.#denials.mayName(name) && this.#forbids(path.join(folder, name));
  }

  #forbids(file: string): boolean {
    return this.#denials.forbids(this.#namesOf(path.resolve(this.#place.workspaceRoot, file)));
  }

  /**
   * The same whatever was searched for: a note that came only with matches would tell, guess by guess, what the
   * forbidden files hold.
   */
  get notes(): readonly string[] {
    const mayBeAny = this.#denials.mayReach(this.#namesOf(this.#place.real));
    return mayBeAny ? ['[files that a rule forbids reading are left out]'] : [];
  }

  #namesOf(realPath: string): PathNames {
    const { named, real, workspaceRoot } = this.#place;
    const below = realPath.startsWith(real) ? realPath.slice(real.length) : undefined;
    return {
      path: below === undefined ? realPath : path.join(named, below),
      realPath,
      root: this.#root,
      realRoot: workspaceRoot,
    };
  }
}

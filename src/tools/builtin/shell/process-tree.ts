import { setTimeout as wait } from 'node:timers/promises';
import { listProcesses, type ProcessEntry, readProcessVariable } from './process-table.ts';

/** Every process of a job is started with it; a child that makes a session of its own still carries it. */
export const JOB_VARIABLE = 'CROSSPOINT_JOB';

const LOOK_AGAIN_MS = 25;
/** A tree that still grows after so many rounds of SIGKILL cannot be caught from outside. */
const MAX_KILL_ROUNDS = 40;

export interface TreeRoot {
  /** The leader of the group; only given while it lives, since its number may be given to a stranger later. */
  readonly pid?: number;
  /** Processes known from an earlier look. */
  readonly known?: readonly ProcessEntry[];
  /** Whether a process that carries this mark belongs to the tree. */
  ownsMark(mark: string): boolean;
}

/** The processes of a tree: its group, whoever carries the mark, whoever was known, and all that these have started. */
export async function findTree(root: TreeRoot): Promise<ProcessEntry[]> {
  const all = await listProcesses();
  const members = new Map<number, ProcessEntry>();
  const known = new Set(root.known?.map(identity));
  for (const entry of all) {
    const isInGroup = root.pid !== undefined && (entry.pid === root.pid || entry.groupId === root.pid);
    if (isInGroup || known.has(identity(entry))) members.set(entry.pid, entry);
  }
  await Promise.all(
    all.map(async (entry) => {
      if (members.has(entry.pid)) return;
      const mark = await readProcessVariable(entry.pid, JOB_VARIABLE);
      if (mark !== undefined && root.ownsMark(mark)) members.set(entry.pid, entry);
    }),
  );
  addDescendants(members, all);
  members.delete(process.pid);
  return [...members.values()];
}

/** SIGTERM to the whole tree, SIGKILL to whoever is left after the grace; true when nobody is left. */
export async function stopTree(root: () => TreeRoot, graceMs: number): Promise<boolean> {
  const found = new Map<string, ProcessEntry>();
  const look = async () => {
    const base = root();
    const tree = await findTree({ ...base, known: [...(base.known ?? []), ...found.values()] });
    for (const entry of tree) found.set(identity(entry), entry);
    return tree;
  };
  const deadline = performance.now() + graceMs;
  const asked = new Set<string>();
  for (let tree = await look(); tree.length > 0 && performance.now() < deadline; tree = await look()) {
    for (const entry of tree) {
      // A shell's child that has not yet become its program swallows the signal; the program must be asked again.
      const being = `${identity(entry)} ${entry.name}`;
      if (asked.has(being)) continue;
      asked.add(being);
      signal(entry.pid, 'SIGTERM');
      // A stopped process takes the signal only when it goes on.
      signal(entry.pid, 'SIGCONT');
    }
    await wait(LOOK_AGAIN_MS);
  }
  for (let round = 0; round < MAX_KILL_ROUNDS; round++) {
    const tree = await look();
    if (tree.length === 0) return true;
    for (const entry of tree) signal(entry.pid, 'SIGKILL');
    await wait(LOOK_AGAIN_MS);
  }
  return (await look()).length === 0;
}

function addDescendants(members: Map<number, ProcessEntry>, all: readonly ProcessEntry[]): void {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of all) {
    const siblings = children.get(entry.parentPid);
    if (siblings === undefined) children.set(entry.parentPid, [entry]);
    else siblings.push(entry);
  }
  const queue = [...members.keys()];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      if (members.has(child.pid)) continue;
      members.set(child.pid, child);
      queue.push(child.pid);
    }
  }
}

function identity(entry: ProcessEntry): string {
  return `${entry.pid} ${entry.startTime}`;
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself, or is another user's by now.
  }
}

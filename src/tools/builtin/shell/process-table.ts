// The processes of this machine: /proc on Linux (proc(5)), `ps` elsewhere. Elsewhere a process can be known by its parent
// and its group alone; on Linux also by a mark in the environment it was started with.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';

export interface ProcessEntry {
  readonly pid: number;
  readonly parentPid: number;
  readonly groupId: number;
  /** Changes when the process becomes another program. */
  readonly name: string;
  /** With the pid this names one process for good; pids come round again. */
  readonly startTime: string;
}

/** Living processes; those that only wait to be reaped are left out. */
export function listProcesses(): Promise<ProcessEntry[]> {
  return process.platform === 'linux' ? listFromProc() : listFromPs();
}

/** The value of a variable in the environment a process was started with; Linux only, own processes only. */
export async function readProcessVariable(pid: number, name: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  // Gone, or another user's.
  const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
  const prefix = `${name}=`;
  return environment
    .split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}

async function listFromProc(): Promise<ProcessEntry[]> {
  const names = await readdir('/proc');
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const entries = await Promise.all(pids.map(readStat));
  return entries.filter((entry) => entry !== undefined);
}

async function readStat(pid: number): Promise<ProcessEntry | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  if (text === undefined) return undefined;
  // The name in parentheses may hold spaces and parentheses itself; fields are counted from the last one.
  const [state, parentPid, groupId, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (state === 'Z' || state === 'X') return undefined;
  const name = text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'));
  return { pid, parentPid: Number(parentPid), groupId: Number(groupId), name, startTime: rest[16] ?? '' };
}

function listFromPs(): Promise<ProcessEntry[]> {
  return new Promise((resolve) => {
    const args = ['-axo', 'pid=,ppid=,pgid=,stat=,lstart=,comm='];
    execFile('ps', args, { maxBuffer: 16 * 1024 * 1024 }, (_error, stdout) => {
      resolve(
        stdout.split('\n').flatMap((line) => {
          const [pid, parentPid, groupId, state, ...rest] = line.trim().split(/\s+/);
          if (pid === undefined || pid === '' || state?.startsWith('Z')) return [];
          const numbers = { pid: Number(pid), parentPid: Number(parentPid), groupId: Number(groupId) };
          // A start time is five words: Sun Nov 15 14:00:00 2026.
          return [{ ...numbers, startTime: rest.slice(0, 5).join(' '), name: rest.slice(5).join(' ') }];
        }),
      );
    });
  });
}

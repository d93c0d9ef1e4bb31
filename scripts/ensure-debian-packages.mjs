// Installs what some tests want to find on the machine, where that is possible without asking anybody: on Debian and its
// kin, as root or with a sudo that needs no password. Whatever happens, the tests go on; those that miss a program skip
// themselves and say why. Further packages can be named: `node scripts/ensure-debian-packages.mjs redis-server`.
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';

/** Packages, and the program that shows that one is there. */
const PROGRAMS = { bubblewrap: 'bwrap', 'redis-server': 'redis-server', chromium: 'chromium' };
const WANTED_BY_TESTS = ['bubblewrap'];

/** Without a network nothing moves; whoever has none should not wait for it. */
const IDLE_MS = 12_000;

const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin'];

/** No second tries, no waiting for another apt that holds the lock, progress on standard output. */
const OPTIONS = [
  'Acquire::Retries=0',
  'Acquire::http::Timeout=5',
  'Acquire::https::Timeout=5',
  'DPkg::Lock::Timeout=5',
  'APT::Status-Fd=1',
].flatMap((option) => ['-o', option]);

const wanted = process.argv.length > 2 ? process.argv.slice(2) : WANTED_BY_TESTS;
const missing = wanted.filter(isMissing);
if (missing.length > 0) {
  const problem = await install(missing).catch((error) => error.message);
  const names = missing.join(', ');
  console.log(
    problem === undefined
      ? `Installed for the tests: ${names}.`
      : `Not installed: ${names} (${problem}). Tests that need it are skipped and say so.`,
  );
}

/** Why it could not be done, or undefined. */
async function install(names) {
  const odd = names.find((name) => !/^[a-z0-9][a-z0-9.+-]+$/.test(name));
  if (odd !== undefined) return `${JSON.stringify(odd)} is no name of a package`;
  const apt = find('apt-get');
  if (apt === undefined) return 'there is no apt-get here';
  const prefix = rootPrefix();
  if (prefix === undefined) return 'it needs root, or sudo without a password';
  const run = (limit, ...args) => runApt([...prefix, apt, ...OPTIONS, ...args], limit);
  const packages = ['--yes', '--no-install-recommends', ...names];

  // Fetching may be broken off at any time; unpacking may not, so the two are apart.
  const isListed = (await run(IDLE_MS, 'install', '--simulate', ...packages)) === undefined;
  const update = isListed ? undefined : await run(IDLE_MS, 'update');
  if (update !== undefined) return `apt-get update: ${update}`;
  const download = await run(IDLE_MS, 'install', '--download-only', ...packages);
  // A list that is too old names files that are gone.
  const isOld = download !== undefined && isListed && /404/.test(download);
  const again = isOld
    ? ((await run(IDLE_MS, 'update')) ?? (await run(IDLE_MS, 'install', '--download-only', ...packages)))
    : download;
  if (again !== undefined) return `apt-get: ${again}`;
  const unpack = await run(undefined, 'install', '--no-download', ...packages);
  if (unpack !== undefined) return `apt-get install: ${unpack}`;
  const absent = names.find(isMissing);
  return absent === undefined ? undefined : `${absent} came without its program`;
}

/** Resolves with what went wrong, or undefined. It is ended when it says nothing new for `idleMs`. */
function runApt([program, ...args], idleMs) {
  return new Promise((resolve) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let words = '';
    let lastLine = '';
    let isIdle = false;
    let timer;
    const restart = () => {
      clearTimeout(timer);
      if (idleMs === undefined) return;
      timer = setTimeout(() => {
        isIdle = true;
        child.kill('SIGTERM');
      }, idleMs);
    };
    const listen = (chunk) => {
      const text = String(chunk);
      words = (words + text).slice(-20_000);
      const line = text.trim().split('\n').at(-1) ?? '';
      if (line !== lastLine) restart();
      lastLine = line;
    };
    restart();
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0) resolve(undefined);
      else resolve(isIdle ? 'no network, or a very slow one' : lastError(words, code));
    });
  });
}

function lastError(words, code) {
  const errors = words.split('\n').filter((line) => /^(?:E|Err):?/.test(line));
  return (errors.at(-1) ?? `exit code ${code}`).replace(/^E:\s*/, '').slice(0, 200);
}

function isMissing(name) {
  return find(PROGRAMS[name] ?? name) === undefined;
}

function find(program) {
  return FOLDERS.filter(Boolean)
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

function rootPrefix() {
  if (process.getuid?.() === 0) return [];
  const sudo = find('sudo');
  if (sudo === undefined) return undefined;
  return spawnSync(sudo, ['-n', 'true'], { stdio: 'ignore', timeout: 5_000 }).status === 0
    ? [sudo, '-n']
    : undefined;
}

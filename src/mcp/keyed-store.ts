import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/index.ts';

/** Small things that outlive the process: what was agreed to, tokens. Whoever starts the hub says where they go. */
export interface KeyedStore {
  get(key: string): Promise<JsonValue | undefined>;
  set(key: string, value: JsonValue): Promise<void>;
  delete(key: string): Promise<void>;
}

export function memoryStore(): KeyedStore {
  const values = new Map<string, JsonValue>();
  return {
    get: async (key) => values.get(key),
    set: async (key, value) => {
      values.set(key, value);
    },
    delete: async (key) => {
      values.delete(key);
    },
  };
}

/** One JSON file, readable by its owner only; written beside and renamed, so that a crash leaves the old or the new. */
export function fileStore(file: string): KeyedStore {
  let tail: Promise<unknown> = Promise.resolve();
  // One change after the other: each reads what the one before has written.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = tail.then(work);
    tail = result.catch(() => undefined);
    return result;
  };
  const change = (edit: (values: JsonObject) => void) =>
    inTurn(async () => {
      const values = await readValues(file);
      edit(values);
      await writeValues(file, values);
    });
  return {
    get: (key) =>
      inTurn(async () => {
        const values = await readValues(file);
        return Object.hasOwn(values, key) ? values[key] : undefined;
      }),
    set: (key, value) =>
      change((values) => {
        values[key] = value;
      }),
    delete: (key) =>
      change((values) => {
        delete values[key];
      }),
  };
}

async function readValues(file: string): Promise<JsonObject> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {};
    throw error;
  }
  try {
    const values: unknown = JSON.parse(text);
    if (isJsonObject(values)) return values;
  } catch {
    // Said below, without the content: it may hold tokens.
  }
  // Starting afresh would forget what was agreed to, and a changed tool would pass for a new one.
  throw new Error(`${file} is damaged; restore it, or delete it and agree to the MCP tools again.`);
}

async function writeValues(file: string, values: JsonObject): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const beside = `${file}.${process.pid}.${crypto.randomUUID()}.new`;
  const handle = await open(beside, 'wx', 0o600);
  try {
    await handle.writeFile(`${JSON.stringify(values, null, 1)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
  try {
    await chmod(beside, 0o600);
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

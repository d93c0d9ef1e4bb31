import { readFile } from 'node:fs/promises';
import { formatPath, isSecretPath } from './config-problem.ts';
import { type ConfigPath, parseSource } from './source-document.ts';

/** The keys of a configuration file under which a secret stands in plain text instead of as `${VARIABLE}`. */
export async function findPlainSecrets(file: string): Promise<string[]> {
  const { value } = parseSource(file, await readFile(file, 'utf8'));
  return secretsIn(value, []);
}

function secretsIn(node: unknown, path: ConfigPath): string[] {
  if (typeof node === 'string') {
    const isPlain = node !== '' && !/^\s*(?:\w+\s+)?\$\{\w+\}\s*$/.test(node);
    return isPlain && isSecretPath(path.slice(-1)) ? [formatPath(path)] : [];
  }
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, item]) => secretsIn(item, [...path, key]));
}

// Every descriptor in src/gen, read from the folder so that no file is forgotten.
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createRegistry, type DescFile, type Registry } from '@bufbuild/protobuf';
import {
  file_google_protobuf_empty,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
} from '@bufbuild/protobuf/wkt';

const GENERATED = resolve(import.meta.dirname, '../../src/gen');

export async function loadSchema(): Promise<Registry> {
  const names = readdirSync(GENERATED, { recursive: true, encoding: 'utf8' });
  const modules = await Promise.all(
    names
      .filter((name) => name.endsWith('_pb.ts'))
      .map((name) => import(join(GENERATED, name)) as Promise<Record<string, unknown>>), // what it exports, by name
  );
  const wellKnown = [file_google_protobuf_empty, file_google_protobuf_struct, file_google_protobuf_timestamp];
  return createRegistry(...wellKnown, ...modules.flatMap((module) => Object.values(module).filter(isFile)));
}

function isFile(value: unknown): value is DescFile {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'file';
}

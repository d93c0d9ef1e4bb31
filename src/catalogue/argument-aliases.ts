import type { JsonObject, JsonValue } from '../core/index.ts';

export function pathOf(input: JsonObject): JsonValue | undefined {
  return firstPresent(input.path, input.file_path, input.target_file, input.relative_workspace_path);
}

export function directoryOf(input: JsonObject): JsonValue | undefined {
  return firstPresent(
    input.path,
    input.target_directory,
    input.directory_path,
    input.relative_workspace_path,
  );
}

function firstPresent(...values: (JsonValue | undefined)[]): JsonValue | undefined {
  return values.find(isPresent);
}

export function isPresent(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Absent optionals are left out, never null. */
export function omitNull(value: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const present = Object.entries(value).filter((entry): entry is [string, JsonValue] => isPresent(entry[1]));
  return Object.fromEntries(present);
}

/** What clients call the model that the backend chooses. */
const DEFAULT_NAMES = ['auto', 'default'];

/**
 * Other names of listed models, for clients that accept no name outside of the list: the bare name of `upstream/model`
 * where only one upstream has it, and what stands for the default model.
 */
export function listModelAliases(
  ids: readonly string[],
  defaultId: string | undefined,
): ReadonlyMap<string, string[]> {
  const bareNames = ids.map((id) => id.slice(id.indexOf('/') + 1));
  const taken = new Set(ids);
  return new Map(
    ids.map((id, index) => {
      const bare = bareNames[index] ?? id;
      const isUnique = !taken.has(bare) && bareNames.filter((name) => name === bare).length === 1;
      const stands =
        id === defaultId ? DEFAULT_NAMES.filter((name) => !taken.has(name) && name !== bare) : [];
      return [id, [...(isUnique ? [bare] : []), ...stands]];
    }),
  );
}

const MAX_VALUES = 200;
const MAX_CHARACTERS = 80;

/**
 * Keeps label values few and short: every new value is a new time series for ever, and some come from strangers.
 * Beyond the bound a value is counted as `other`.
 */
export function createLabelBound(maxValues = MAX_VALUES): (label: string, value: string) => string {
  const seen = new Map<string, Set<string>>();
  return (label, value) => {
    const short = value.slice(0, MAX_CHARACTERS);
    let values = seen.get(label);
    if (!values) {
      values = new Set();
      seen.set(label, values);
    }
    if (values.has(short)) return short;
    if (values.size >= maxValues) return 'other';
    values.add(short);
    return short;
  };
}

// Changes to a body while it is still a tree: wrong types, swapped shapes, junk in lists, nesting.
import type { JsonObject, JsonValue } from '../../src/core/index.ts';
import type { SeededRandom } from './seeded-random.ts';

/** A place in a tree that can be written to. */
interface Slot {
  readonly holder: JsonObject | JsonValue[];
  readonly key: string | number;
}

const JUNK: readonly (() => JsonValue)[] = [
  () => null,
  () => true,
  () => 0,
  () => -1,
  () => 0.5,
  () => 1e308,
  () => '',
  () => ' ',
  () => 'x'.repeat(5000),
  () => '\u0000\ud800 lone',
  () => '{"half":',
  () => `{"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  () => [],
  () => [null],
  () => [[]],
  () => ({}),
  () => ({ type: 'nonsense' }),
  () => ({ type: null, name: 7, function: [] }),
  () => ({ type: 'function', function: { name: '', parameters: 'no' } }),
  () => ({ type: 'custom', custom: null }),
  () => ({ role: 'wizard', content: 3 }),
  () => ({ type: 'tool_result', tool_use_id: [] }),
  () => ({ type: 'function_call_output', call_id: {}, output: null }),
  () =>
    JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}') as JsonValue, // ours
];

/** Words that mean something in one dialect or another. */
const KEYS = [
  'type',
  'role',
  'content',
  'name',
  'id',
  'call_id',
  'tools',
  'input',
  'messages',
  'text',
  '__proto__',
];

export function mutateTree(
  body: JsonObject,
  others: readonly JsonObject[],
  random: SeededRandom,
): JsonObject {
  const copy = structuredClone(body);
  const rounds = 1 + random.below(3);
  for (let round = 0; round < rounds; round++) {
    const slots = slotsOf(copy);
    if (slots.length > 0) random.pick(TREE_CHANGES)(random.pick(slots), { slots, others, random });
  }
  return copy;
}

interface ChangeContext {
  readonly slots: readonly Slot[];
  readonly others: readonly JsonObject[];
  readonly random: SeededRandom;
}

type TreeChange = (slot: Slot, context: ChangeContext) => void;

const TREE_CHANGES: readonly TreeChange[] = [
  (slot, { random }) => write(slot, random.pick(JUNK)()),
  (slot) => remove(slot),
  (slot) => write(slot, [read(slot)]),
  (slot) => write(slot, { value: read(slot) }),
  (slot) => write(slot, JSON.stringify(read(slot))),
  (slot, { random }) => rename(slot, random.pick(KEYS)),
  (slot, { random }) => addJunk(read(slot), random),
  (slot, { random }) => repeat(read(slot), random),
  (slot, { slots, random }) => exchange(slot, random.pick(slots)),
  (slot, { others, random }) => {
    const donor = slotsOf(random.pick(others));
    if (donor.length > 0) write(slot, structuredClone(read(random.pick(donor))));
  },
  (slot, { random }) => write(slot, nest(read(slot), random.pick([3, 40, 400]))),
];

function slotsOf(root: JsonObject): Slot[] {
  const slots: Slot[] = [];
  const walk = (holder: JsonObject | JsonValue[], depth: number) => {
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      const slot: Slot = { holder, key };
      slots.push(slot);
      const value = read(slot);
      if (typeof value === 'object' && value !== null && depth < 60) walk(value, depth + 1);
    }
  };
  walk(root, 0);
  return slots;
}

function read({ holder, key }: Slot): JsonValue {
  return (Array.isArray(holder) ? holder[Number(key)] : holder[key]) ?? null;
}

function write({ holder, key }: Slot, value: JsonValue): void {
  if (Array.isArray(holder)) holder[Number(key)] = value;
  else Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

function remove({ holder, key }: Slot): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function rename(slot: Slot, key: string): void {
  if (Array.isArray(slot.holder)) return;
  const value = read(slot);
  remove(slot);
  write({ holder: slot.holder, key }, value);
}

function addJunk(value: JsonValue, random: SeededRandom): void {
  const junk = random.pick(JUNK)();
  if (Array.isArray(value)) value.splice(random.below(value.length + 1), 0, junk);
  else if (typeof value === 'object' && value !== null)
    write({ holder: value, key: random.pick(KEYS) }, junk);
}

function repeat(value: JsonValue, random: SeededRandom): void {
  if (!Array.isArray(value) || value.length === 0 || value.length > 200) return;
  const copy = structuredClone(random.pick(value));
  for (let count = random.pick([1, 2, 50]); count > 0; count--) value.push(copy);
}

/** A slot inside the other would make a circle; exchanging copies cannot. */
function exchange(one: Slot, other: Slot): void {
  const [first, second] = [structuredClone(read(one)), structuredClone(read(other))];
  write(one, second);
  write(other, first);
}

function nest(value: JsonValue, depth: number): JsonValue {
  let nested = value;
  for (let level = 0; level < depth; level++) nested = level % 2 ? [nested] : { content: nested };
  return nested;
}

import { createFronts } from '../../src/dialects/index.ts';
import { mutateBytes } from './mutate-bytes.ts';
import { mutateTree } from './mutate-tree.ts';
import { seedBodies } from './seed-bodies.ts';
import { SeededRandom } from './seeded-random.ts';

const BYTES_SHARE = 0.25;

/** An endless list of bad bodies for one front, the same for the same seed. */
export function* mutatedBodies(front: string, model: string, seed: number): Generator<Uint8Array, never> {
  const random = new SeededRandom(seed);
  const own = seedBodies(front, model);
  const foreign = createFronts().flatMap(({ dialect }) => seedBodies(dialect, model));
  for (;;) {
    const base = random.pick(random.chance(0.9) ? own : foreign);
    const tree = random.chance(0.9) ? mutateTree(base, foreign, random) : base;
    const text = JSON.stringify(tree);
    yield random.chance(BYTES_SHARE) ? mutateBytes(text, random) : new TextEncoder().encode(text);
  }
}

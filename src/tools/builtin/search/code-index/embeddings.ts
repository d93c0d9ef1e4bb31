import { defineResource } from '../../../resources.ts';
import type { ChunkHit } from './code-index.ts';

/** Gives one vector per text, all of one length. */
export interface Embedder {
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>;
}

/** None by default: words alone decide. An embedder reorders the best hits by meaning. */
export const embedder = defineResource<Embedder | undefined>({ name: 'embedder', create: () => undefined });

/** How many hits by words are worth a vector. */
export const MAX_RERANKED = 60;

/** Half the order by words, half the nearness of meaning; an embedder that fails leaves the order as it was. */
export async function rerank(
  hits: readonly ChunkHit[],
  texts: readonly string[],
  query: string,
  model: Embedder,
  signal: AbortSignal,
): Promise<ChunkHit[]> {
  const vectors = await model.embed([query, ...texts], signal).catch(() => []);
  const wanted = vectors[0];
  if (!wanted || vectors.length !== texts.length + 1) return [...hits];
  const best = hits[0]?.score || 1;
  return hits
    .map((hit, index) => ({
      ...hit,
      score: (hit.score / best + cosine(wanted, vectors[index + 1] ?? [])) / 2,
    }))
    .sort((left, right) => right.score - left.score);
}

function cosine(left: readonly number[], right: readonly number[]): number {
  let dot = 0;
  let leftSquare = 0;
  let rightSquare = 0;
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0;
    dot += value * other;
    leftSquare += value * value;
    rightSquare += other * other;
  }
  return leftSquare === 0 || rightSquare === 0 ? 0 : dot / Math.sqrt(leftSquare * rightSquare);
}

import { isJsonObject } from '../core/index.ts';

export interface ShownModel {
  readonly id: string;
  readonly upstream: string;
  readonly contextWindow?: number;
}

/** Reads the answer of `/api/models`; fields that are not there are left out, not guessed. */
export function readModels(answer: unknown): ShownModel[] {
  const list = isJsonObject(answer) ? (answer.models ?? answer.data) : answer;
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isJsonObject(item) || typeof item.id !== 'string') return [];
    const upstream = typeof item.upstream === 'string' ? item.upstream : '';
    const { contextWindow } = item;
    return [
      typeof contextWindow === 'number'
        ? { id: item.id, upstream, contextWindow }
        : { id: item.id, upstream },
    ];
  });
}

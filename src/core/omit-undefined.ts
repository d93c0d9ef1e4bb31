type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the keys whose value is undefined, so that absent stays absent on the wire. */
export function omitUndefined<T extends object>(value: T): Defined<T> {
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) if (item !== undefined) copy[key] = item;
  return copy as Defined<T>; // the loop has just made it true
}

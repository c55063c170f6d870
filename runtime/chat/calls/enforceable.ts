/** Grammars that a text need not obey as a whole. */

export interface Enforceable<T> {
  /** What it is made of: what is wrong with the whole is wrong with one of them. */
  readonly parts?: readonly T[];
  /** The same without what the parts of these places ask for: the text need not obey those that cannot be enforced. */
  readonly without?: (places: ReadonlySet<number>) => T;
  /** Where it cannot be enforced, no grammar is taken. */
  readonly mayBeLeftOut?: boolean;
}

/** A grammar as far as it can be enforced; one that the text must obey as a whole as it is. */
export async function enforceable<T extends Enforceable<T>>(
  asked: T,
  canEnforce: (one: T) => Promise<boolean>,
): Promise<T | undefined> {
  const { without, parts = [], mayBeLeftOut = false } = asked;
  if (!without || (await canEnforce(asked))) return asked;
  const places = new Set<number>();
  for (const [i, part] of parts.entries()) if (!(await canEnforce(part))) places.add(i);
  const rest = without(places);
  if (places.size > 0 && (await canEnforce(rest))) return rest;
  return mayBeLeftOut ? undefined : asked;
}

/** Which part of a schema no value is valid for. */
import type { Sets } from "./space.js";
import type { Lazy } from "./values.js";

/** The JSON pointer of the innermost part that makes a set empty. */
export function whyEmpty(root: Lazy, sets: Sets): string {
  let path = root.path ?? "";
  const seen = new Set([root]);
  for (let lazy = root; ;) {
    const { arrays, objects } = sets.valuesOf(lazy);
    const needed = [
      ...objects.flatMap(({ named }) => [...named.values()].filter((one) => one.isRequired).map(({ value }) => value)),
      ...arrays.flatMap(({ prefix, rest, min }) => [...prefix.slice(0, min), ...(min > prefix.length ? [rest] : [])]),
    ];
    const next = needed.find((one) => !seen.has(one) && sets.isEmpty(one));
    if (!next) return path;
    path = next.path ?? path;
    seen.add(next);
    lazy = next;
  }
}

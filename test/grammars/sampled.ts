/** Random texts of regular languages. */
import type { Node, Regular } from "../../runtime/grammars/regular/regular.js";

/** Undefined if it has not come to an end within so many characters. */
export function sampled(
  regular: Regular,
  begin: Node,
  random: (below: number) => number,
  most: number,
): string | undefined {
  const characters: number[] = [];
  let node = begin;
  for (;;) {
    const steps = [...regular.steps(node)].filter(([, next]) => next.kind !== "none" && !regular.isEmpty(next));
    const isOver = node.isNullable && (steps.length === 0 || random(4) === 0);
    if (isOver) return String.fromCodePoint(...characters);
    // one that comes nearer to the end, rather
    if (characters.length >= most || steps.length === 0) return undefined;
    const [character, next] = steps[random(steps.length)]!;
    characters.push(character);
    node = next;
  }
}

/** Prints lists in brackets, and sequences of operators. */
import type { Node } from "ohm-js";
import { builders } from "prettier/doc";
import { commentsBefore, doc, dropped, gap, LINE, NONE, put, SOFT, SPACE, type Doc, type Separator } from "./tokens.js";

const { fill, group, ifBreak, indent } = builders;

/** The children of two nodes side by side. ohm makes `children` anew at each access. */
export function paired(a: Node, b: Node): [Node, Node][] {
  const others = b.children;
  return a.children.map((child, i) => [child, others[i]!]);
}

/** The list in the grammar's `Items`, or the node itself. */
function listOf(node: Node): Node | undefined {
  if (node.ctorName !== "Items") return node;
  const some = node.children[0]!;
  return some.ctorName === "Items_some" ? some.children[0]! : undefined;
}

/** The comma after the last item. */
const lastComma = (node: Node): Node | undefined =>
  node.ctorName === "Items" ? node.children[0]!.children[1]?.children[0] : undefined;

/** The items of a list, each with the separator before it. */
export function itemsOf(node: Node): { separator?: Node; item: Node }[] {
  const [first, separators, rest] = listOf(node)?.children ?? [];
  if (!first) return [];
  return [{ item: first }, ...paired(separators!, rest!).map(([separator, item]) => ({ separator, item }))];
}

/** How the items of a list are broken into lines: one item per line, or as many as fit. */
type Sharing = "each" | "many";

/** `(a, b)`. `inside` separates the brackets from the items. */
export function bracketed(open: Node, list: Node, close: Node, sharing: Sharing, inside: Separator = SOFT): Doc {
  const head = doc(open);
  const [first, ...rest] = itemsOf(list);
  const before = first ? gap(first.item.source.startIdx, inside) : "";
  const parts: Doc[] = first ? [doc(first.item)] : [];
  for (const { separator, item } of rest) {
    parts.push([parts.pop()!, put(separator!, NONE)], gap(item.source.startIdx, LINE), doc(item));
  }
  const comma = lastComma(list);
  // a list on one line has no comma at its end
  if (comma) parts.push([parts.pop()!, gap(comma.source.startIdx, NONE), dropped(comma, ifBreak(",", ""))]);
  const last = commentsBefore(close.source.startIdx);
  const items = sharing === "many" ? fill(parts) : parts;
  const isEmpty = parts.length + last.length === 0;
  return group([head, indent([before, items, last]), put(close, isEmpty && inside === LINE ? SPACE : inside)]);
}

/** The operands of `a + b - c` or `a |> b |> c`, one per line if they do not fit on one line. */
export function chained(first: Node, rest: readonly { operator: Node; operand: Node }[]): Doc[] {
  return [doc(first), ...rest.map(({ operator, operand }): Doc => [put(operator, LINE), put(operand, SPACE)])];
}

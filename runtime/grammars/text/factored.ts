/**
 * Alternatives that begin with the same characters, written so that the beginning is there once. XGrammar merges states of
 * alternatives that begin or end alike, and where both are so, it merges too many: `"599" | "598" | "658"` would accept 658 and
 * 698. Without a common beginning it has nothing to merge wrongly.
 */
import { spend } from "../budget.js";
import { all, any, text, type Item } from "./rules.js";

/** @param name makes a rule of an item, so that groups in groups are no deep nesting */
export function factored(item: Item, name: (item: Item) => Item): Item {
  spend();
  switch (item.kind) {
    case "all":
      return { ...item, items: item.items.map((part) => factored(part, name)) };
    case "repeat":
      return { ...item, item: factored(item.item, name) };
    case "any":
      return any(grouped(item.items.flatMap(alternatives).map(sequence), name));
    default:
      return item;
  }
}

const alternatives = (item: Item): readonly Item[] => (item.kind === "any" ? item.items.flatMap(alternatives) : [item]);

/** The parts of an alternative: no sequence in a sequence. */
const sequence = (item: Item): Item[] =>
  item.kind === "all"
    ? item.items.flatMap(sequence)
    : item.kind === "text" && item.characters.length === 0
      ? []
      : [item];

function grouped(all_: readonly (readonly Item[])[], name: (item: Item) => Item): Item[] {
  const groups = new Map<string, (readonly Item[])[]>();
  for (const parts of all_) {
    spend(1 + parts.length);
    const key = keyOf(parts[0]);
    const group = groups.get(key);
    if (group) group.push(parts);
    else groups.set(key, [parts]);
  }
  return [...groups.values()].map((group) => {
    const [first] = group as [readonly Item[]];
    if (group.length === 1) return all(first.map((part) => factored(part, name)));
    if (first.length === 0) return text([]);
    const head = commonHead(group);
    const rests = group.map((parts) => without(head, parts));
    const rest = any(grouped(rests, name));
    return all([factored(head, name), rest.kind === "any" ? name(rest) : rest]);
  });
}

function keyOf(item: Item | undefined): string {
  if (item === undefined) return "";
  if (item.kind === "text") return `character ${item.characters[0]!}`;
  const key = JSON.stringify(item);
  spend(key.length / 8);
  return key;
}

/** What all alternatives of a group begin with. */
function commonHead(group: readonly (readonly Item[])[]): Item {
  const [first] = group[0]!;
  if (first!.kind !== "text") return first!;
  const texts = group.map(([part]) => (part as Item & { readonly kind: "text" }).characters);
  const [shortest] = [...texts].sort((a, b) => a.length - b.length);
  let length = 1;
  while (length < shortest!.length && texts.every((characters) => characters[length] === shortest![length])) length++;
  return text(shortest!.slice(0, length));
}

function without(head: Item, [first, ...others]: readonly Item[]): readonly Item[] {
  if (head.kind !== "text" || first!.kind !== "text") return others;
  const rest = first!.characters.slice(head.characters.length);
  return rest.length > 0 ? [text(rest), ...others] : others;
}

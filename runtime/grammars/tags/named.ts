/** The rules of other sources as parts of one grammar: under names of their own. */
import { spend } from "../budget.js";
import { ROOT, type Item, type Rules } from "../text/rules.js";

type Inner = Exclude<Item, { readonly kind: "text" | "class" | "rule" | "token" }>;

/** Adds rules under names that begin with a prefix, and returns their root. */
export function addRules(to: Map<string, Item>, rules: Rules, prefix: string): Item {
  const name = (given: string): string => `${prefix} ${given}`;
  const known = new Map<Inner, Item>();
  const renamed = (item: Item): Item => {
    if (item.kind === "text" || item.kind === "class" || item.kind === "token") return item;
    if (item.kind === "rule") return { kind: "rule", name: name(item.name) };
    const before = known.get(item);
    if (before) return before;
    spend();
    const result = fresh(item);
    known.set(item, result);
    return result;
  };
  const fresh = (item: Inner): Item => {
    switch (item.kind) {
      case "all":
      case "any":
      case "intersection":
        return { kind: item.kind, items: item.items.map(renamed) };
      case "repeat":
      case "complement":
      case "mark":
        return { ...item, item: renamed(item.item) };
      case "members":
        return {
          ...item,
          members: item.members.map((member) => ({ ...member, item: renamed(member.item) })),
          separator: renamed(item.separator),
          ...(item.others && { others: renamed(item.others) }),
        };
    }
  };
  for (const [given, item] of rules) to.set(name(given), renamed(item));
  return { kind: "rule", name: name(ROOT) };
}

/**
 * Regular languages: which texts are in one, and whether any is. The derivative of a language by a character is what can follow that
 * character (Brzozowski 1964; Owens, Reppy and Turon 2009); intersections and complements are as simple as alternatives.
 */
import { spend } from "../budget.js";
import type { Item } from "../text/rules.js";
import { Nodes, type Node } from "./node.js";
import { CHARACTERS, contains, inTexts, without } from "./ranges.js";

export type { Node } from "./node.js";

const codePoints = (text: string): number[] => Array.from(text, (character) => character.codePointAt(0)!);

/** The languages of one task, which share what is known of them. */
export class Regular {
  readonly nodes = new Nodes();
  private readonly derivatives = new Map<number, Node>();
  private readonly cuts = new Map<Node, ReadonlySet<number>>();
  private readonly known = new Map<Node, boolean>();
  private readonly ofItems = new Map<Item, Node>();

  /** @param rule what the name of a rule stands for */
  of(item: Item, rule: (name: string) => Node = notRegular): Node {
    const known = this.ofItems.get(item);
    if (known) return known;
    spend();
    const node = this.made(item, rule);
    this.ofItems.set(item, node);
    return node;
  }

  private made(item: Item, rule: (name: string) => Node): Node {
    const { nodes } = this;
    switch (item.kind) {
      case "text":
        return item.characters.reduceRight((rest, one) => nodes.sequence(nodes.class([[one, one]]), rest), nodes.empty);
      case "class":
        return nodes.class(item.isNegated ? without(item.ranges) : inTexts(item.ranges));
      case "rule":
        return rule(item.name);
      case "all":
        return item.items.reduceRight((rest, one) => nodes.sequence(this.of(one, rule), rest), nodes.empty);
      case "any":
        return nodes.any(item.items.map((one) => this.of(one, rule)));
      case "repeat":
        return nodes.repeat(this.of(item.item, rule), item.min, item.max);
      case "intersection":
        return nodes.intersection(item.items.map((one) => this.of(one, rule)));
      case "complement":
        return nodes.complement(this.of(item.item, rule));
      case "members":
      case "mark":
      case "token":
        throw new TypeError(`expected a regular item, found "${item.kind}"`);
    }
  }

  /** What can follow a character. */
  derivative(node: Node, character: number): Node {
    const key = node.id * 0x110000 + character;
    const known = this.derivatives.get(key);
    if (known) return known;
    spend();
    const result = this.derived(node, character);
    this.derivatives.set(key, result);
    return result;
  }

  private derived(node: Node, character: number): Node {
    const { nodes } = this;
    const inner = (one: Node): Node => this.derivative(one, character);
    switch (node.kind) {
      case "none":
      case "empty":
        return nodes.none;
      case "class":
        return contains(node.ranges, character) ? nodes.empty : nodes.none;
      case "sequence": {
        const first = nodes.sequence(inner(node.first), node.rest);
        return node.first.isNullable ? nodes.any([first, inner(node.rest)]) : first;
      }
      case "any":
        return nodes.any(node.nodes.map(inner));
      case "intersection":
        return nodes.intersection(node.nodes.map(inner));
      case "complement":
        return nodes.complement(inner(node.node));
      case "repeat":
        return nodes.sequence(
          inner(node.node),
          nodes.repeat(node.node, Math.max(node.min - 1, 0), node.max === Infinity ? Infinity : node.max - 1),
        );
    }
  }

  matches(node: Node, text: string): boolean {
    return codePoints(text).reduce((rest, character) => this.derivative(rest, character), node).isNullable;
  }

  /** Whether no text is in it. */
  isEmpty(node: Node): boolean {
    if (!node.hasLogic) return node === this.nodes.none;
    const known = this.known.get(node);
    if (known !== undefined) return known;
    const seen = new Set([node]);
    const waiting = new Nearest();
    waiting.add(node);
    let isEmpty = true;
    for (let next = waiting.take(); next && isEmpty; next = waiting.take()) {
      spend();
      if (next.isNullable || !next.hasLogic || this.known.get(next) === false) isEmpty = false;
      else
        for (const one of this.steps(next).values())
          if (this.known.get(one) !== true && one !== this.nodes.none && !seen.has(one)) {
            seen.add(one);
            waiting.add(one);
          }
    }
    // nothing that can be reached from it has a text
    if (isEmpty) for (const one of seen) this.known.set(one, true);
    else this.known.set(node, false);
    return isEmpty;
  }

  /** What can follow each character, by a character of each kind that the node tells from others. */
  steps(node: Node): ReadonlyMap<number, Node> {
    const characters = [...this.cutsOf(node)].filter((one) => one <= 0x10ffff && contains(CHARACTERS, one));
    return new Map(characters.map((one) => [one, this.derivative(node, one)]));
  }

  /** Where a range of characters that a node does not tell from each other begins. */
  private cutsOf(node: Node): ReadonlySet<number> {
    const known = this.cuts.get(node);
    if (known) return known;
    const cuts = new Set([0, 0xe000]);
    const add = (one: Node): void => {
      for (const cut of this.cutsOf(one)) cuts.add(cut);
    };
    if (node.kind === "class")
      for (const [from, to] of node.ranges) {
        cuts.add(from);
        cuts.add(to + 1);
      }
    else if (node.kind === "sequence") {
      add(node.first);
      if (node.first.isNullable) add(node.rest);
    } else if (node.kind === "any" || node.kind === "intersection") node.nodes.forEach(add);
    else if (node.kind === "complement" || node.kind === "repeat") add(node.node);
    spend(cuts.size);
    this.cuts.set(node, cuts);
    return cuts;
  }
}

function notRegular(name: string): never {
  throw new TypeError(`expected an item without rules, found the rule "${name}"`);
}

/** Nodes that wait: those that may be near to an end come first. */
class Nearest {
  private readonly byLength: Node[][] = [];
  private first = 0;

  add(node: Node): void {
    const length = Math.min(node.least, 2 ** 12);
    (this.byLength[length] ??= []).push(node);
    this.first = Math.min(this.first, length);
  }

  take(): Node | undefined {
    for (; this.first < this.byLength.length; this.first++) {
      const node = this.byLength[this.first]?.pop();
      if (node) return node;
    }
    return undefined;
  }
}

/** Regular languages as expressions, each of which there is once. */
import { normalized, type Ranges } from "../text/rules.js";
import { CHARACTERS } from "./ranges.js";

interface Made {
  readonly id: number;
  /** Whether the empty text is in the language. */
  readonly isNullable: boolean;
  /** Whether an intersection or a complement is in it; without one, no part of it is empty. */
  readonly hasLogic: boolean;
  /** No text has less characters. */
  readonly least: number;
}

export type Node = Made &
  (
    | { readonly kind: "none" }
    | { readonly kind: "empty" }
    | { readonly kind: "class"; readonly ranges: Ranges }
    | { readonly kind: "sequence"; readonly first: Node; readonly rest: Node }
    | { readonly kind: "any"; readonly nodes: readonly Node[] }
    | { readonly kind: "intersection"; readonly nodes: readonly Node[] }
    | { readonly kind: "complement"; readonly node: Node }
    | { readonly kind: "repeat"; readonly node: Node; readonly min: number; readonly max: number }
  );

type Parts = Node extends infer N ? (N extends Node ? Omit<N, keyof Made> : never) : never;

/** Makes nodes in a normal form, so that few are needed for the derivatives of one. */
export class Nodes {
  private readonly made = new Map<string, Node>();
  readonly none = this.node("none", { kind: "none" }, false, false);
  readonly empty = this.node("empty", { kind: "empty" }, true, false);
  readonly character = this.class(CHARACTERS);
  readonly every = this.repeat(this.character, 0, Infinity);

  private node(key: string, parts: Parts, isNullable: boolean, hasLogic: boolean): Node {
    const known = this.made.get(key);
    if (known) return known;
    const least = leastOf(parts, isNullable);
    const node = { ...parts, id: this.made.size, isNullable, hasLogic, least } as Node;
    this.made.set(key, node);
    return node;
  }

  /** @param ranges sorted; they do not touch */
  class(ranges: Ranges): Node {
    if (ranges.length === 0) return this.none;
    return this.node(`[${ranges.flat().join(" ")}]`, { kind: "class", ranges }, false, false);
  }

  sequence(first: Node, rest: Node): Node {
    if (first === this.none || rest === this.none) return this.none;
    if (first === this.empty) return rest;
    if (rest === this.empty) return first;
    if (first.kind === "sequence") return this.sequence(first.first, this.sequence(first.rest, rest));
    const isNullable = first.isNullable && rest.isNullable;
    const hasLogic = first.hasLogic || rest.hasLogic;
    return this.node(`${first.id}.${rest.id}`, { kind: "sequence", first, rest }, isNullable, hasLogic);
  }

  any(nodes: readonly Node[]): Node {
    const flat = nodes.flatMap((node) => (node.kind === "any" ? node.nodes : [node]));
    if (flat.includes(this.every)) return this.every;
    const classes = flat.filter((node) => node.kind === "class");
    const others = flat.filter((node) => node.kind !== "class" && node !== this.none);
    const merged = classes.length > 1 ? this.class(normalized(classes.flatMap(({ ranges }) => ranges))) : classes[0];
    const kept = inOrder([...others, ...(merged ? [merged] : [])]);
    // the empty text may be in another one
    const isDouble = kept.some((node) => node.isNullable && node !== this.empty);
    const all = isDouble ? kept.filter((node) => node !== this.empty) : kept;
    if (all.length === 0) return this.none;
    if (all.length === 1) return all[0]!;
    const isNullable = all.some((node) => node.isNullable);
    const hasLogic = all.some((node) => node.hasLogic);
    return this.node(`|${ids(all)}`, { kind: "any", nodes: all }, isNullable, hasLogic);
  }

  intersection(nodes: readonly Node[]): Node {
    const flat = nodes.flatMap((node) => (node.kind === "intersection" ? node.nodes : [node]));
    const all = inOrder(flat.filter((node) => node !== this.every));
    if (all.includes(this.none)) return this.none;
    if (all.length === 0) return this.every;
    if (all.length === 1) return all[0]!;
    const isNullable = all.every((node) => node.isNullable);
    if (all.includes(this.empty)) return isNullable ? this.empty : this.none;
    return this.node(`&${ids(all)}`, { kind: "intersection", nodes: all }, isNullable, true);
  }

  complement(node: Node): Node {
    if (node.kind === "complement") return node.node;
    if (node === this.none) return this.every;
    if (node === this.every) return this.none;
    return this.node(`~${node.id}`, { kind: "complement", node }, !node.isNullable, true);
  }

  repeat(node: Node, from: number, max: number): Node {
    const min = node.isNullable ? 0 : from;
    if (max === 0 || node === this.empty) return this.empty;
    if (node === this.none) return min === 0 ? this.empty : this.none;
    if (min === 1 && max === 1) return node;
    // all counts of all counts
    if (node.kind === "repeat" && node.max === Infinity && node.min <= 1 && min <= 1)
      return this.repeat(node.node, Math.min(node.min, min), Infinity);
    if (min === 0 && max === 1 && node.isNullable) return node;
    return this.node(`${node.id}{${min},${max}`, { kind: "repeat", node, min, max }, min === 0, node.hasLogic);
  }
}

const ids = (nodes: readonly Node[]): string => nodes.map(({ id }) => id).join(" ");
const inOrder = (nodes: readonly Node[]): Node[] => [...new Set(nodes)].sort((a, b) => a.id - b.id);

function leastOf(parts: Parts, isNullable: boolean): number {
  if (isNullable) return 0;
  switch (parts.kind) {
    case "none":
      return Infinity;
    case "sequence":
      return parts.first.least + parts.rest.least;
    case "any":
      return parts.nodes.reduce((least, node) => Math.min(least, node.least), Infinity);
    case "intersection":
      return parts.nodes.reduce((least, node) => Math.max(least, node.least), 1);
    case "repeat":
      return parts.min * parts.node.least;
    default:
      return 1;
  }
}

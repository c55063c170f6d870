/** What the writers of arrays and objects need of the writer of values. */
import type { Item } from "../text/rules.js";
import type { Blanks } from "./blanks.js";
import type { Sets } from "./space.js";
import type { Lazy, StringSet } from "./values.js";

export interface Writing {
  readonly sets: Sets;
  readonly blanks: Blanks;
  readonly order: "declared" | "any";
  readonly others: "none" | "any";
  /** A value of a set, which is not empty. */
  item(lazy: Lazy): Item;
  /** A name of a member, in quotes: one of a set, or the listed one. */
  key(names: StringSet | string): Item;
  /** What is between two marks; `isEmpty`: nothing but blanks. */
  list(inside: Item, isEmpty: boolean, marks: readonly [open: string, close: string]): Item;
  /** A rule of its own, for what is there more than once. */
  rule(item: Item): Item;
}

export const EMPTY: Item = { kind: "text", characters: [] };

export const repeat = (item: Item, min: number, max: number): Item => ({ kind: "repeat", item, min, max });

export interface WrittenMember {
  readonly item: Item;
  readonly isRequired: boolean;
}

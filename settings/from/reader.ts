/** Reads settings by name: checks types and ranges, and tracks which settings were not read. */
import { describeRange, isInRange, type Range } from "@ggsl/compiler/core/range.js";
import type { Node, Setting, Settings } from "./nodes.js";
import { ImportError, show, type Note, type NoteKind } from "./notes.js";
import { isKnown, type Fields } from "./formats/fields.js";
import { runNote } from "./runOptions.js";
import { describe, flagOf, listOf, numberOf, seedOf, textOf, tokensOf, wholeOf } from "./values.js";

/** All methods throw an `ImportError` for a value of another type or out of range; undefined means not given. */
export interface Reader {
  readonly notes: readonly Note[];
  /** The given settings; `null` counts as not given. */
  readonly given: ReadonlySet<string>;
  /** Whether the setting is there, also as `null`. */
  has(name: string): boolean;
  number(name: string, range?: Range): number | undefined;
  whole(name: string, range?: Range): number | undefined;
  flag(name: string): boolean | undefined;
  text(name: string): string | undefined;
  texts(name: string): string[] | undefined;
  /** A list of non-negative integers, or a single one. */
  tokens(name: string): number[] | undefined;
  /** The low 32 bits of an integer of any size; `random` where `isRandom` holds. */
  seed(name: string, isRandom: (seed: bigint) => boolean): number | "random" | undefined;
  node(name: string): Node | undefined;
  /** Adds a note about a setting, if it was given. */
  note(kind: NoteKind, name: string, text: string): void;
  /** Throws for a setting with an invalid value. */
  refuse(name: string, expected: string): never;
  /** Adds notes with options of `ggsl run`, and for every setting that was not read: it is about neither, or unknown. */
  finish(fields: Fields): void;
}

export function openReader(settings: Settings): Reader {
  const notes: Note[] = [];
  const read = new Set<string>();
  const given = new Set([...settings].filter(([, { node }]) => node.kind !== "null").map(([name]) => name));

  function take<T>(name: string, what: string, convert: (node: Node) => T | undefined): T | undefined {
    read.add(name);
    const setting = settings.get(name);
    if (!setting || setting.node.kind === "null") return undefined;
    const value = convert(setting.node);
    if (value === undefined) throw wrong(setting, what);
    return value;
  }

  function inRange(name: string, what: string, range: Range, value: number | undefined): number | undefined {
    if (value === undefined || isInRange(range, value)) return value;
    throw wrong(settings.get(name)!, `${what}, ${describeRange(range)}`);
  }

  return {
    notes,
    given,
    has: (name) => settings.has(name),
    number: (name, range = {}) => inRange(name, "a number", range, take(name, "a finite number", numberOf)),
    whole: (name, range = {}) => inRange(name, "a whole number", range, take(name, "a whole number", wholeOf)),
    flag: (name) => take(name, "true or false", flagOf),
    text: (name) => take(name, "a text", textOf),
    texts: (name) => take(name, "a list of texts", (node) => listOf(node, textOf)),
    tokens: (name) => take(name, "a token id, or a list of them", tokensOf),
    seed: (name, isRandom) => take(name, "an integer", (node) => seedOf(node, isRandom)),
    node: (name) => take(name, "", (node) => node),
    note(kind, name, text) {
      read.add(name);
      const setting = settings.get(name);
      if (setting && given.has(name)) notes.push({ kind, key: setting.key, place: setting.node.place, text });
    },
    refuse(name, expected) {
      throw wrong(settings.get(name)!, expected);
    },
    finish(fields) {
      for (const [name, option] of Object.entries(fields.options)) {
        const setting = settings.get(name);
        read.add(name);
        if (setting && given.has(name)) notes.push(runNote(option, setting));
      }
      for (const [name, { key, node }] of settings) {
        if (read.has(name)) continue;
        notes.push({ kind: isKnown(fields, name) ? "other" : "unknown", key, place: node.place, text: "" });
      }
    },
  };
}

const wrong = ({ key, node }: Setting, expected: string): ImportError =>
  new ImportError(`${node.place}: ${show(key)} must be ${expected}, found ${describe(node)}`);

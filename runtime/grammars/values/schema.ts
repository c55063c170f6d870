/**
 * JSON schemas as grammars. A schema is read as a set of values in normal form, on which each keyword is an operation, and the set is
 * written as rules: each text is JSON that is valid, and each usual text of a valid value can be written.
 */
import { show } from "@ggsl/compiler/core/show.js";
import { invalid } from "../../core/errors.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import type { Rules } from "../text/rules.js";
import type { SchemaSource } from "../types.js";
import type { SchemaOptions } from "./blanks.js";
import { exceeded, fault } from "./faults.js";
import { SchemaReader } from "./read.js";
import { Writer } from "./write.js";

export type { SchemaOptions } from "./blanks.js";

/** The rules of a schema with its options, which are checked. Throws `InputError`. */
export const rulesOfSchema = ({ jsonSchema, ignore, whitespace, order, others }: SchemaSource): Rules =>
  schemaRules(jsonSchema, checkedNames(ignore), {
    whitespace: checkedWord("whitespace", whitespace),
    order: checkedWord("order", order),
    others: checkedWord("others", others),
  });

/** What each option can be; the default comes first. */
const WORDS = {
  whitespace: ["usual", "none", "line", "any"],
  order: ["declared", "any"],
  others: ["none", "any"],
} as const;

function checkedWord<N extends keyof typeof WORDS>(name: N, given: unknown): (typeof WORDS)[N][number] {
  const words: readonly (typeof WORDS)[N][number][] = WORDS[name];
  if (given === undefined) return words[0]!;
  const word = words.find((one) => one === given);
  if (word !== undefined) return word;
  throw invalid(`\`${name}\` must be one of ${words.map(show).join(", ")}, found ${show(given)}`);
}

function checkedNames(given: unknown): readonly string[] {
  if (given === undefined) return [];
  if (Array.isArray(given) && given.every((name) => typeof name === "string")) return given;
  throw invalid(`\`ignore\` must be a list of keywords, found ${show(given)}`);
}

/**
 * @param given a schema, or its JSON text
 * @param ignored keywords that the text need not obey
 */
export function schemaRules(given: unknown, ignored: readonly string[] = [], options: SchemaOptions = {}): Rules {
  const root = typeof given === "string" ? parsed(given) : given;
  const text = JSON.stringify(root) as string | undefined;
  if (text === undefined) throw fault("", `expected an object or a boolean, found ${show(root)}`);
  if (text.length > GRAMMAR_LIMITS.length)
    throw exceeded(`it has ${text.length} characters, expected at most ${GRAMMAR_LIMITS.length}`);
  // as JSON: without `toJSON`, `undefined` and other objects
  const reader = new SchemaReader(JSON.parse(text), text, new Set(ignored));
  const { whitespace = "usual", order = "declared", others = "any" } = options;
  return new Writer(reader.sets, reader.lazy(reader.root, ""), { whitespace, order, others }).whole();
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`the JSON schema is not JSON: ${(error as Error).message}`, error);
  }
}

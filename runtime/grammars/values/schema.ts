/**
 * JSON schemas as grammars. A schema is read as a set of values in normal form, on which each keyword is an operation, and the set is
 * written as rules: each text is JSON that is valid, and each usual text of a valid value can be written.
 */
import { show } from "@ggsl/compiler/core/show.js";
import { invalid } from "../../core/errors.js";
import { GRAMMAR_LIMITS } from "../limits.js";
import type { Rules } from "../text/rules.js";
import type { SchemaOptions } from "./blanks.js";
import { exceeded, fault } from "./faults.js";
import { SchemaReader } from "./read.js";
import { Writer } from "./write.js";

export type { SchemaOptions } from "./blanks.js";

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
  const { whitespace = "usual", order = "declared" } = options;
  return new Writer(reader.sets, { whitespace, order }).whole(reader.lazy(reader.root, ""));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalid(`the JSON schema is not JSON: ${(error as Error).message}`, error);
  }
}

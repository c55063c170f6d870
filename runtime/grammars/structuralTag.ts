/** Structural tags for XGrammar, which gives no message for a fault in one. */
import { GRAMMAR_LIMITS } from "./limits.js";
import { readSchema } from "./schema/schema.js";
import { exceeded, fault, readTag, type Format } from "./tags/read.js";
import { readGbnf } from "./text/gbnf.js";
import { readRegex } from "./text/regex.js";
import { toEbnf } from "./text/ebnf.js";
import { OnlyLlama, type Rules } from "./text/rules.js";

/** The tag as JSON for XGrammar. Throws `InputError`. */
export function readStructuralTag(given: unknown): string {
  const text = JSON.stringify({ type: "structural_tag", format: readTag(given, forXgrammar) });
  if (text.length > GRAMMAR_LIMITS.length) throw exceeded(`it has ${text.length} characters as JSON`);
  return text;
}

/** Grammars, schemas and patterns are read here, and given in a form that means the same there. */
function forXgrammar(format: Format<unknown>, path: string): unknown {
  try {
    const rules = rulesOf(format);
    return rules ? { type: "grammar", grammar: toEbnf(rules) } : format;
  } catch (error) {
    if (!(error instanceof OnlyLlama)) throw error;
    throw fault(path, `it has ${error.message}, which a tag cannot have`);
  }
}

function rulesOf(format: Format<unknown>): Rules | undefined {
  switch (format.type) {
    case "regex":
      return readRegex(format.pattern);
    case "grammar":
      return readGbnf(format.grammar);
    case "json_schema":
      return readSchema(format.json_schema, []);
    default:
      return undefined;
  }
}

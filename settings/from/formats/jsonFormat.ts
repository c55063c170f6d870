/** Requests for a JSON object as the text: OpenAI's `response_format`, and Ollama's `format`. */
import type { Node } from "../nodes.js";
import type { ImportedGrammar } from "../plan.js";
import type { Reader } from "../reader.js";

/** A JSON object (RFC 8259), in GBNF. */
export const JSON_OBJECT = String.raw`root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (member ("," ws member)*)? "}"
member ::= string ws ":" ws value ws
array ::= "[" ws (value ws ("," ws value ws)*)? "]"
string ::= "\"" ([^"\\\x00-\x1F\x7F] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= [ \t\n]*
`;

/** Forms of a grammar that a program cannot state: the parameter has no default, and the request gives it. */
const given = (key: string, form: string, path: string): string =>
  `the parameter \`${key}\` has no default: give each request \`{ ${form} }\` for it, with the value of \`${path}\``;

/** The grammar of a JSON schema, which is given with the request. */
export function schemaOf(reader: Reader, key: string, path: string = key): ImportedGrammar {
  reader.note("caller", key, `${given(key, "jsonSchema", path)}; \`ggsl run --json-schema FILE\` does`);
  return { key };
}

/** The grammar of a regular expression, which is given with the request. */
export function regexOf(reader: Reader, key: string, path: string = key): ImportedGrammar {
  reader.note("caller", key, given(key, "regex", path));
  return { key };
}

/** The grammar of a list of texts. */
export const choicesOf = (key: string, choices: readonly string[]): ImportedGrammar => ({
  key,
  text: `root ::= ${choices.map(quotedInGbnf).join(" | ")}`,
});

const quotedInGbnf = (text: string): string =>
  `"${text.replace(/["\\\n\r\t]/g, (c) => `\\${{ "\n": "n", "\r": "r", "\t": "t" }[c] ?? c}`)}"`;

/** The grammar for `response_format`; a note if it asks for more. */
export function responseFormat(reader: Reader): ImportedGrammar | undefined {
  const key = "response_format";
  const node = reader.node(key);
  if (node === undefined) return undefined;
  const type = node.kind === "object" ? textIn(node.members.get("type")) : undefined;
  const hasSchema = node.kind === "object" && (node.members.has("schema") || node.members.has("json_schema"));
  if (type === "text" || (type === undefined && node.kind === "object" && node.members.size === 0)) {
    reader.note("other", key, "");
    return undefined;
  }
  if (type === "json_object" && !hasSchema) return { key, text: JSON_OBJECT };
  if (node.kind !== "object" || !hasSchema) {
    reader.note("lost", key, "it is neither text, nor a JSON object, nor a JSON schema");
    return undefined;
  }
  // OpenAI's form has the schema inside of `json_schema`, beside its name
  return schemaOf(reader, key, node.members.has("json_schema") ? `${key}.json_schema.schema` : `${key}.schema`);
}

/** The grammar for Ollama's `format`: "json", or a schema. */
export function ollamaFormat(reader: Reader): ImportedGrammar | undefined {
  const key = "format";
  const node = reader.node(key);
  const text = textIn(node);
  if (text === "json") return { key, text: JSON_OBJECT };
  if (node === undefined || text === "") {
    reader.note("other", key, "");
    return undefined;
  }
  if (node.kind !== "object") return reader.refuse(key, `"json" or a JSON schema`);
  return schemaOf(reader, key);
}

const textIn = (node: Node | undefined): string | undefined => (node?.kind === "string" ? node.value : undefined);

/** Requests for a JSON object as the text: OpenAI's `response_format`, and Ollama's `format`. */
import type { Node } from "../nodes.js";
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

/** A grammar that only its request has. */
export const OF_REQUEST =
  "give the schema with the request: `ggsl run --json-schema FILE`, or `constrain(g)` with a parameter of type `grammar`";

/** The grammar for `response_format`; a note if it asks for more. */
export function responseFormat(reader: Reader): string | undefined {
  const node = reader.node("response_format");
  if (node === undefined) return undefined;
  const type = node.kind === "object" ? textIn(node.members.get("type")) : undefined;
  const hasSchema = node.kind === "object" && (node.members.has("schema") || node.members.has("json_schema"));
  if (type === "text" || (type === undefined && node.kind === "object" && node.members.size === 0)) {
    reader.note("other", "response_format", "");
    return undefined;
  }
  if (type === "json_object" && !hasSchema) return JSON_OBJECT;
  reader.note("caller", "response_format", OF_REQUEST);
  return undefined;
}

/** The grammar for Ollama's `format`: "json", or a schema. */
export function ollamaFormat(reader: Reader): string | undefined {
  const node = reader.node("format");
  const text = textIn(node);
  if (text === "json") return JSON_OBJECT;
  if (node === undefined || text === "") {
    reader.note("other", "format", "");
    return undefined;
  }
  if (node.kind !== "object") return reader.refuse("format", `"json" or a JSON schema`);
  reader.note("caller", "format", OF_REQUEST);
  return undefined;
}

const textIn = (node: Node | undefined): string | undefined => (node?.kind === "string" ? node.value : undefined);

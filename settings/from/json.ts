/** Parses JSON to nodes with line numbers. The text is untrusted: length and depth are limited, and duplicate keys are errors. */
import { parse, type MemberNode, type ValueNode } from "@humanwhocodes/momoa";
import { checkLength } from "./length.js";
import type { Node } from "./nodes.js";
import { ImportError, show } from "./notes.js";

const MAX_DEPTH = 64;

/** Parses a JSON text; `name` is the file's name, for places. */
export function parseJson(text: string, name: string): Node {
  checkLength(text, name);
  checkDepth(text, name);
  return convert(parseText(text, name), text, name);
}

/** The parser is recursive, so nesting is counted before it runs. Brackets in texts do not count. */
function checkDepth(text: string, name: string): void {
  let depth = 0;
  let line = 1;
  let isText = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (c === "\n") line++;
    if (isText && c === "\\") i++;
    else if (c === '"') isText = !isText;
    else if (!isText && (c === "[" || c === "{")) depth++;
    else if (!isText && (c === "]" || c === "}")) depth--;
    if (depth > MAX_DEPTH)
      throw new ImportError(`${name}:${line}: expected at most ${MAX_DEPTH} levels of nesting, found more`);
  }
}

function parseText(text: string, name: string): ValueNode {
  try {
    return parse(text, { mode: "json", ranges: true }).body;
  } catch (error) {
    const { message, line } = error as Error & { readonly line?: number };
    const what = message.replace(/\s*\(\d+:\d+\)$/, "").replace(/\.$/, "");
    throw new ImportError(`${line === undefined ? name : `${name}:${line}`}: this is no JSON: ${what}`);
  }
}

function convert(node: ValueNode, text: string, name: string): Node {
  const place = `${name}:${node.loc.start.line}`;
  switch (node.type) {
    case "Object":
      return { kind: "object", place, members: membersOf(node.members, text, name) };
    case "Array":
      return { kind: "array", place, items: node.elements.map((e) => convert(e.value, text, name)) };
    case "Number":
      return { kind: "number", place, value: node.value, text: text.slice(...node.range!) };
    case "String":
      return { kind: "string", place, value: node.value };
    case "Boolean":
      return { kind: "bool", place, value: node.value };
    case "Null":
      return { kind: "null", place };
    default:
      throw new ImportError(`${place}: expected a JSON value, found ${node.type}`);
  }
}

function membersOf(members: readonly MemberNode[], text: string, name: string): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const { name: key, value } of members) {
    const word = key.type === "String" ? key.value : key.name;
    const before = found.get(word);
    if (before)
      throw new ImportError(`${name}:${key.loc.start.line}: ${show(word)} is given twice, before at ${before.place}`);
    found.set(word, { ...convert(value, text, name), place: `${name}:${key.loc.start.line}` });
  }
  return found;
}

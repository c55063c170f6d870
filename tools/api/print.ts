/** The text of a declaration in a contract: its types as they are written, and of its comments what a program can rely on. */
import { Node, SyntaxKind, type JSDoc } from "ts-morph";
import { isPrivate, namesOf } from "./names.js";
import type { Declared } from "./reach.js";

/** Tags of a comment that say what types do not: a changed default is a changed interface. */
const TAGS: readonly string[] = ["default", "deprecated"];
/** Modifiers that are not part of a type: what is listed is exported or not. */
const UNSHOWN: readonly SyntaxKind[] = [SyntaxKind.ExportKeyword, SyntaxKind.DeclareKeyword, SyntaxKind.DefaultKeyword];

export const printDeclaration = ({ name, nodes }: Declared): string =>
  [...nodes]
    .sort((a, b) => a.getPos() - b.getPos())
    .map((node) => textOf(name, node))
    .join("\n");

/** A part of a text, and what is shown in its place. */
interface Cut {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

function textOf(name: string, node: Node): string {
  const statement = Node.isVariableDeclaration(node) ? node.getVariableStatementOrThrow() : node;
  const start = statement.getStart(true);
  const text = statement.getText(true);
  let shown = "";
  let at = 0;
  for (const { from, to, by } of [statement, ...statement.getDescendants()].flatMap(cutsOf).sort(byPlace)) {
    // inside of what was cut
    if (from - start < at) continue;
    shown += text.slice(at, from - start) + by;
    at = to - start;
  }
  shown = (shown + text.slice(at)).trim().replace(/\n\s*\n/g, "\n");
  const own = Node.hasName(node) ? node.getName() : name;
  return own === name ? shown : `// exported as ${name}\n${shown}`;
}

const byPlace = (a: Cut, b: Cut): number => a.from - b.from || b.to - a.to;

function cutsOf(node: Node): Cut[] {
  const cut = (from: number, to: number, by = ""): Cut[] => [{ from, to, by }];
  if (Node.isJSDoc(node)) return cut(node.getStart(), node.getEnd(), tagsOf(node));
  if (UNSHOWN.includes(node.getKind())) return cut(node.getStart(), node.getEnd());
  if (isPrivate(node)) return cut(node.getStart(true), node.getEnd());
  // the names that a function gives to the parts of its options
  if (Node.isObjectBindingPattern(node)) return cut(node.getStart(), node.getEnd(), "options");
  const names = namesOf(node);
  if (names) return cut(node.getStart(), node.getEnd(), names.join(" | "));
  if (Node.isImportTypeNode(node)) {
    // what it names has a place of its own in the contract
    const qualifier = node.getQualifier();
    return qualifier ? cut(node.getStart(), qualifier.getStart()) : [];
  }
  return [];
}

function tagsOf(doc: JSDoc): string {
  const tags = doc.getTags().filter((tag) => TAGS.includes(tag.getTagName()));
  const texts = tags.map((tag) => `@${tag.getTagName()} ${tag.getCommentText() ?? ""}`.replace(/\s+/g, " ").trim());
  return texts.length > 0 ? `/** ${texts.join(" ")} */` : "";
}

/** What of a declaration a contract does not show as it is written: private members, and computed lists of names. */
import { Node, SyntaxKind, type Type } from "ts-morph";

/** Members that no program can name. A private constructor is not among them: it says that no program can call it. */
export const isPrivate = (node: Node): boolean =>
  !Node.isConstructorDeclaration(node) && Node.isModifierable(node) && node.hasModifier("private");

/**
 * The names that a type computes, sorted, as in `(typeof LIST)[number]`, `keyof typeof TABLE` or `Exclude<Names, "auto">`. Undefined for
 * types that are written out, and for others than names and numbers.
 */
export function namesOf(node: Node): string[] | undefined {
  if (!isComputed(node)) return undefined;
  const type = node.getType();
  const parts: readonly Type[] = type.isUnion() ? type.getUnionTypes() : [type];
  if (!parts.every((part) => part.isLiteral() && !part.isBooleanLiteral() && !part.isEnumLiteral())) return undefined;
  return parts.map((part) => JSON.stringify(part.getLiteralValue())).sort();
}

const isComputed = (node: Node): boolean =>
  Node.isIndexedAccessTypeNode(node) ||
  (Node.isTypeOperatorTypeNode(node) && node.getOperator() === SyntaxKind.KeyOfKeyword) ||
  (Node.isTypeReference(node) && node.getTypeArguments().length > 0);

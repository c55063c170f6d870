/** Nodes of parsed templates, which the package makes and this folder makes more of. */
import type { Node, Value } from "./jinja.js";

/** A parsed node: what all of them may have. */
export interface Any {
  readonly type: string;
  readonly [member: string]: unknown;
}
export const any = (node: unknown): Any => node as Any;
export const node = (value: object): Node => value as Node;
/** A node that has been evaluated. */
export const given = (value: Value): Node => node({ type: "Given", value });

/** The name of a filter, with or without arguments. */
export function nameOf(filter: unknown): string | undefined {
  const { type, value, callee } = any(filter);
  const name: unknown = type === "CallExpression" ? any(callee)["value"] : value;
  return typeof name === "string" ? name : undefined;
}

/** What is known of a template before it runs. */
import type { Node, Program } from "./jinja.js";
import { any, nameOf, node } from "./nodes.js";

export interface Analysis {
  /** The tags that nodes are from. */
  readonly places: ReadonlyMap<Node, number>;
  /** Nodes whose value may be written out as text. */
  readonly written: ReadonlySet<Node>;
  /** Nodes inside each node that is searched when it runs. */
  readonly sizes: ReadonlyMap<Node, number>;
}

const WRITING: ReadonlySet<string> = new Set(["tojson", "string", "join", "trim", "upper", "lower"]);

export function analyze(program: Program, places: ReadonlyMap<Node, number>): Analysis {
  const written = new Set<Node>(places.keys());
  const sizes = new Map<Node, number>();
  const write = (value: unknown): void => void written.add(value as Node);
  const visit = (value: unknown): number => {
    if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + visit(one), 0);
    if (value instanceof Map) return visit([...value.keys(), ...value.values()]);
    if (typeof value !== "object" || value === null) return 0;
    const part = any(value);
    if (part.type === "BinaryExpression") {
      const { value: operator } = part["operator"] as { value: string };
      if (operator !== "and" && operator !== "or") write(part["left"]);
      if (!["and", "or", "in", "not in"].includes(operator)) write(part["right"]);
    }
    if (part.type === "FilterExpression" && WRITING.has(nameOf(part["filter"]) ?? "")) write(part["operand"]);
    if (part.type === "CallExpression" && any(any(part["callee"])["property"] ?? {})["value"] === "format")
      for (const argument of part["args"] as readonly object[])
        write(any(argument)["key"] ? any(argument)["value"] : argument);
    const size = 1 + visit(Object.values(part));
    if (part.type === "Macro" || part.type === "CallStatement") sizes.set(node(part), size);
    return size;
  };
  visit(program.body);
  return { places, written, sizes };
}

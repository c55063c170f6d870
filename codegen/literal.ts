/** Writes a graph spec as a JavaScript expression, in a layout that gives small diffs. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { toSpec } from "@ggsl/compiler/graph/json.js";

/** JSON with a line for each node, parameter, stage and so on. */
function specLiteral(graph: Graph): string {
  const entries = Object.entries(toSpec(graph)).map(([key, value]) => `  ${JSON.stringify(key)}: ${lines(value)}`);
  return `{\n${entries.join(",\n")}\n}`;
}

const lines = (value: unknown): string =>
  Array.isArray(value) && value.length > 0
    ? `[\n${value.map((v) => `    ${JSON.stringify(v)}`).join(",\n")}\n  ]`
    : JSON.stringify(value);

/** The call that builds a chain from its graphs. Bundlers remove chains that are not imported. */
export function chainCall(graph: Graph, rowsGraph: Graph, types: string): string {
  const specs = (graph === rowsGraph ? [graph] : [graph, rowsGraph]).map(
    (g) => `/* @__PURE__ */ fromSpec(${specLiteral(g)})`,
  );
  return `/* @__PURE__ */ chainOf${types}(${specs.join(", ")})`;
}

/**
 * A table of one row: the best row is the argmax, its probability is 1, and sorts and draws are no-ops.
 *
 *     %0 = top_k(logits) k=1             %0 = argmax(logits)
 *     %1 = get_rows(logits, %0)      ->  return sampled=%0
 *     %2 = soft_max(%1)
 *     ...
 *     return sampled=%9
 */
import type { GraphNode, NodeId } from "../graph/graph.js";
import { rewrite, type Rewriter } from "./draft.js";
import type { Pass } from "./pass.js";

export const topOne: Pass = {
  name: "top-one",
  doc: "a top-1 is an argmax, and a table of one row needs no sort or draw",
  example: "top_k(1) |> dist(42)",
  run: (draft) => rewrite(draft, simplify),
};

function simplify(r: Rewriter, { op, inputs, dim }: GraphNode): NodeId | undefined {
  if (dim !== 1 || inputs.length === 0) return undefined;
  const x = r.map(inputs[0]!);
  if (op === "top_k") return r.emit("argmax", [x]);
  if (r.made(x).dim !== 1) return undefined;
  switch (op) {
    case "soft_max":
      return r.emit("fill", [], { value: 1, dim: 1 });
    case "cumsum":
    case "sum_rows":
    case "get_rows":
    case "view":
    case "roll":
      // the only row is row 0
      return x;
    default:
      return undefined;
  }
}

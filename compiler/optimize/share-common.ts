/**
 * Common subexpressions: equal nodes are merged.
 *
 *     %0 = soft_max(logits)      %0 = soft_max(logits)
 *     %1 = soft_max(logits)  ->  %1 = sub(%0, %0)
 *     %2 = sub(%0, %1)
 */
import type { NodeId } from "../graph/graph.js";
import { copy, rewrite } from "./draft.js";
import type { Pass } from "./pass.js";

export const shareCommon: Pass = {
  name: "share-common",
  doc: "common subexpression elimination",
  example: "min_p(0.05) |> dist(42)",
  run: (draft) => {
    const known = new Map<string, NodeId>();
    return rewrite(draft, (r, node, id) => {
      const key = JSON.stringify([node.op, node.inputs.map(r.map), node.attrs]);
      const number = known.get(key) ?? copy(r, node, id);
      known.set(key, number);
      return number;
    });
  },
};

/** The optimizer: the passes in the order in which they run. */
import type { Graph } from "../graph/graph.js";
import type { Interval } from "../graph/interval.js";
import { assertValid } from "../graph/verify.js";
import { fewRows } from "./few-rows.js";
import { foldConstants } from "./fold-constants.js";
import { fuseSoftMax } from "./fuse-soft-max.js";
import { mergeMasks } from "./merge-masks.js";
import type { Pass } from "./pass.js";
import { removeDead } from "./remove-dead.js";
import { shareCommon } from "./share-common.js";
import { sparseFeatures } from "./sparse-features.js";
import { topOne } from "./top-one.js";

/** What a pass leaves behind is removed, and what has become equal shared, at the end. */
export const PASSES: readonly Pass[] = [
  foldConstants,
  topOne,
  sparseFeatures,
  fewRows,
  mergeMasks,
  fuseSoftMax,
  shareCommon,
  removeDead,
];

/** Runs the passes. `ranges` are the bounds of each node's values. */
export function optimize(graph: Graph, ranges: readonly Interval[], disabled: ReadonlySet<string> = new Set()): Graph {
  return PASSES.reduce(
    (before, { name, run }) => {
      if (disabled.has(name)) return before;
      const after = run(before);
      if (after !== before) assertValid(after.graph, name);
      return after;
    },
    { graph, ranges },
  ).graph;
}

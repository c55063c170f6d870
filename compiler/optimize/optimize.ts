/** The optimizer: the passes in the order in which they run. */
import type { Draft } from "./draft.js";
import { fewRows } from "./few-rows.js";
import { foldConstants } from "./fold-constants.js";
import { fuseSoftMax } from "./fuse-soft-max.js";
import { mergeMasks } from "./merge-masks.js";
import type { Pass } from "./pass.js";
import { removeDead } from "./remove-dead.js";
import { shareCommon } from "./share-common.js";
import { sparseFeatures } from "./sparse-features.js";
import { topOne } from "./top-one.js";

/** At the end, dead code is removed and common subexpressions are shared. */
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

/** Runs the enabled passes. `afterPass` is called with the result of each pass that changed something. */
export function optimize(
  draft: Draft,
  disabled: ReadonlySet<string>,
  afterPass: (name: string, draft: Draft) => void,
): Draft {
  return PASSES.reduce((before, { name, run }) => {
    if (disabled.has(name)) return before;
    const after = run(before);
    if (after === before) return before;
    afterPass(name, after);
    return { ...after, ...(before.kept && { kept: before.kept }) };
  }, draft);
}

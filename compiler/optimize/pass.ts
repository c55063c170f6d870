/** A pass of the optimizer. */
import type { Optimization } from "../graph/optimization.js";
import type { Draft } from "./draft.js";

/** Graph to graph. */
export interface Pass extends Optimization {
  readonly run: (draft: Draft) => Draft;
}

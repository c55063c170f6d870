/** The passes, in the order in which they run. Each is graph to graph and can be switched off by its name. */
import type { Graph } from "../graph/graph.js";
import { assertValid } from "../graph/verify.js";
import { shareCommon } from "./common.js";
import { removeDead } from "./dead.js";

type Pass = (graph: Graph) => Graph;

export const PASSES: Readonly<Record<string, Pass>> = {
  "share-common": shareCommon,
  "remove-dead": removeDead,
};

export interface OptimizeOptions {
  /** Names of passes that do not run. */
  readonly disabled?: ReadonlySet<string>;
}

export function optimize(graph: Graph, { disabled = new Set() }: OptimizeOptions = {}): Graph {
  return Object.entries(PASSES).reduce((before, [name, pass]) => {
    if (disabled.has(name)) return before;
    const after = pass(before);
    assertValid(after, name);
    return after;
  }, graph);
}

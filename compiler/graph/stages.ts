/** The stages of a graph, for tables. */
import type { Graph } from "./graph.js";
import { launches } from "./ops.js";

export interface StageSummary {
  readonly name: string;
  /** It belongs to the host tail. */
  readonly isHost: boolean;
  /** Nodes that launch a kernel. */
  readonly nodes: number;
  readonly ops: readonly string[];
  /** Rows of the candidate table after the stage, `V` for the vocabulary. */
  readonly rows: string;
}

export function stagesOf({ stages, nodes, tail }: Graph): StageSummary[] {
  const firstOfTail = stages.length - tail.length;
  let rows = "V";
  return stages.map((stage, i) => {
    const own = nodes.filter((n) => n.origin?.stage === i && launches(n));
    if (stage.rows !== undefined) rows = String(stage.rows);
    return {
      name: stage.name,
      isHost: i >= firstOfTail,
      nodes: own.length,
      ops: [...new Set(own.map(({ op }) => op))],
      rows,
    };
  });
}

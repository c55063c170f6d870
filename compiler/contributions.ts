/** The contribution of each optimization to a chain, by compiling the chain without it. */
import type { Graph } from "./graph/graph.js";
import { launches } from "./graph/ops.js";
import { OPTIMIZATIONS } from "./optimizations.js";
import { PASSES } from "./optimize/optimize.js";

export interface Contribution {
  readonly name: string;
  readonly kind: "pass" | "rule";
  readonly doc: string;
  /** Nodes that launch a kernel without the optimization, and with all optimizations. */
  readonly without: number;
  readonly with: number;
  /** How many more nodes of an op there are without it (`removed`), or fewer (`added`). */
  readonly removed: readonly OpCount[];
  readonly added: readonly OpCount[];
}

export interface OpCount {
  readonly op: string;
  readonly count: number;
}

/**
 * Contributions of the enabled optimizations, in the order in which they run. Views and leaves, which are free, do not count.
 * `graph` is the result of `compile` with `disabled`, the names of disabled optimizations.
 */
export function contributions(
  graph: Graph,
  compile: (disabled: readonly string[]) => Graph,
  disabled: readonly string[] = [],
): Contribution[] {
  return [...OPTIMIZATIONS.values()]
    .filter(({ name }) => !disabled.includes(name))
    .map(({ name, doc }) => {
      const less = compile([...disabled, name]);
      return {
        name,
        doc,
        kind: PASSES.some((pass) => pass.name === name) ? ("pass" as const) : ("rule" as const),
        without: launched(less).length,
        with: launched(graph).length,
        removed: surplus(less, graph),
        added: surplus(graph, less),
      };
    });
}

const launched = ({ nodes }: Graph): string[] => nodes.filter(launches).map(({ op }) => op);

/** Ops with more nodes in `a` than in `b`. */
function surplus(a: Graph, b: Graph): OpCount[] {
  const [ours, others] = [launched(a), launched(b)];
  return [...new Set(ours)].flatMap((op) => {
    const count = ours.filter((o) => o === op).length - others.filter((o) => o === op).length;
    return count > 0 ? [{ op, count }] : [];
  });
}

/** What a traced chain reports of a token. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { isTraceName, traceParts, type TraceColumn, type TracePart } from "@ggsl/compiler/graph/trace.js";

/** What a stage leaves, and where the picked token stands in it. */
export interface StageTrace {
  /** The stage as the program has it; the first is `model`: the rows before all stages. */
  readonly stage: string;
  /** The rows that are left: tokens that can still be picked. */
  readonly rows: number;
  /**
   * The entropy of their distribution.
   * @unit nats
   */
  readonly entropy: number;
  /** 1 for the likeliest row; rows as likely as the picked token share its rank. */
  readonly rank: number;
  /**
   * Of the picked token among the rows.
   * @unit 0 to 1
   */
  readonly probability: number;
}

/** The measures of the program itself and the trace, by their places. */
interface Reported {
  readonly own: readonly (readonly [name: string, measure: number])[];
  /** By stage. */
  readonly stages: readonly (readonly TracePart[])[];
}

const known = new WeakMap<Graph, Reported>();

function reportedOf(graph: Graph): Reported {
  const present = known.get(graph);
  if (present) return present;
  const own = graph.measures.map(({ name }, i) => [name, i] as const).filter(([name]) => !isTraceName(name));
  const parts = traceParts(graph);
  const stages: TracePart[][] = [];
  for (const part of parts) {
    const last = stages.at(-1);
    if (last && !last.some(({ column }) => column === part.column)) last.push(part);
    else stages.push([part]);
  }
  const made = { own, stages };
  known.set(graph, made);
  return made;
}

/**
 * The values of the measures by name, and the trace; each is absent if the chain has none. `values` are those of all measures.
 */
export function measured(
  graph: Graph,
  values: Float32Array,
): { readonly measures?: Readonly<Record<string, number>>; readonly trace?: readonly StageTrace[] } {
  const { own, stages } = reportedOf(graph);
  return {
    ...(own.length > 0 && { measures: Object.fromEntries(own.map(([name, i]) => [name, values[i]!])) }),
    ...(stages.length > 0 && { trace: stages.map((parts) => stageOf(parts, values)) }),
  };
}

function stageOf(parts: readonly TracePart[], values: Float32Array): StageTrace {
  const of = (wanted: TraceColumn): number => values[parts.find(({ column }) => column === wanted)!.measure]!;
  const { stage } = parts[0]!;
  return { stage, rows: of("rows"), entropy: of("entropy"), rank: of("rank"), probability: of("probability") };
}

/** The measures of a trace by their names, which no measure of a program can have. */
import type { Graph } from "./graph.js";

/** What a trace tells of the rows that a stage leaves. */
export const TRACE_COLUMNS = ["rows", "entropy", "rank", "probability"] as const;
export type TraceColumn = (typeof TRACE_COLUMNS)[number];

const NAME = new RegExp(String.raw`^trace\.(model|\d+)\.(${TRACE_COLUMNS.join("|")})$`);

/** Without a stage it is about what the model gives. */
export const traceName = (stage: number | undefined, column: TraceColumn): string =>
  `trace.${stage ?? "model"}.${column}`;

/** Whether a measure belongs to a trace. */
export const isTraceName = (name: string): boolean => NAME.test(name);

/** A measure of a trace. */
export interface TracePart {
  /** Its place among the measures of the graph. */
  readonly measure: number;
  /** The text of the stage as the program has it; `model` before the first one. */
  readonly stage: string;
  readonly column: TraceColumn;
}

/** The stage of what the model itself gives. */
const MODEL_STAGE = "model";

/** The trace of a graph by stage, in order; empty for one without. */
export function traceParts({ measures, stages }: Graph): readonly TracePart[] {
  return measures.flatMap(({ name }, measure): TracePart[] => {
    const [, place, column] = NAME.exec(name) ?? [];
    const stage = place === MODEL_STAGE ? MODEL_STAGE : stages[Number(place)]?.name;
    return stage === undefined ? [] : [{ measure, stage, column: column as TraceColumn }];
  });
}

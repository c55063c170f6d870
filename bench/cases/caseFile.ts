/** Writes the case files that native/replay reads; cases.h there describes the format. */
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { encodeWire } from "@ggsl/compiler/graph/wire.js";
import type { Outputs } from "ggsl/backends/reference/interpret.js";
import type { Vector } from "ggsl/backends/reference/kernels.js";

const MAGIC = 0x53434747;
const VERSION = 1;

export type Shape = "peaked" | "flat";

/** The inputs of one sequence, and its expected outputs. */
export interface CaseRow {
  /** One per token of the vocabulary; absent if the tool generates them. */
  readonly logits?: Float32Array;
  readonly uniforms: Float32Array;
  /** The graph's inputs except the logits. */
  readonly inputs: readonly Vector[];
  readonly expected?: Outputs;
  readonly history: readonly number[];
  /** The same chain of llama.cpp's samplers, for comparison; absent if there is none. */
  readonly llama?: string;
}

export interface Case {
  readonly name: string;
  readonly graph: Graph;
  readonly vocabSize: number;
  /** At least one; all have the same fields. */
  readonly rows: readonly CaseRow[];
  /** How the tool generates absent logits. */
  readonly made?: { readonly shape: Shape; readonly seed: number };
  /** For expected logits, relative to max(1, |logit|), and for probabilities. */
  readonly tolerance: number;
}

export function encodeCases(cases: readonly Case[]): Uint8Array {
  const parts: (Int32Array | Float32Array)[] = [Int32Array.of(MAGIC, VERSION, cases.length)];
  for (const each of cases) addCase(parts, each);
  return Buffer.concat(parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)));
}

type Parts = (Int32Array | Float32Array)[];

function addCase(parts: Parts, { name, graph, vocabSize, rows, made, tolerance }: Case): void {
  const wire = encodeWire(graph);
  parts.push(text(name), Int32Array.of(vocabSize, rows.length, wire.length), wire);
  if (made) parts.push(Int32Array.of(made.shape === "peaked" ? 1 : 2, made.seed));
  else parts.push(Int32Array.of(0), ...rows.map((row) => row.logits!));
  parts.push(...rows.map((row) => row.uniforms));
  for (let i = 0; i < graph.inputs.length - 1; i++) parts.push(...rows.map((row) => row.inputs[i]!));
  addExpected(parts, rows, tolerance);
  parts.push(Int32Array.of(rows[0]!.history.length), ...rows.map((row) => Int32Array.from(row.history)));
  const chains = rows.flatMap((row) => (row.llama === undefined ? [] : [text(row.llama)]));
  parts.push(Int32Array.of(chains.length), ...chains);
}

function addExpected(parts: Parts, rows: readonly CaseRow[], tolerance: number): void {
  const expected = rows.flatMap((row) => row.expected ?? []);
  const outputs = [
    expected.map((e) => e.sampled !== undefined && Int32Array.of(e.sampled)),
    expected.map((e) => e.candidates),
    expected.map((e) => e.logits),
    expected.map((e) => e.probs),
    expected.map((e) => e.states.length > 0 && e.states),
  ].map((values) => values.flatMap((value) => (value ? [value] : [])));
  const bits = outputs.reduce((sum, values, i) => sum + (values.length > 0 ? 1 << i : 0), 0);
  parts.push(Int32Array.of(bits), Float32Array.of(tolerance), ...outputs.flat());
}

function text(value: string): Int32Array {
  const bytes = Buffer.from(value, "ascii");
  const padded = new Uint8Array(4 * (1 + Math.ceil(bytes.length / 4)));
  new DataView(padded.buffer).setInt32(0, bytes.length, true);
  padded.set(bytes, 4);
  return new Int32Array(padded.buffer);
}

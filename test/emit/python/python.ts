/** Emitted files of Python beside the reference: each works out uniforms, draws and features itself. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Graph } from "../../../compiler/graph/graph.js";
import { emitPython, type PythonLibrary } from "../../../compiler/emit/python/emit.js";
import { comparesTexts, inputsByGiver } from "../../../compiler/emit/python/host.js";
import { surfaceOf } from "../../../compiler/emit/surface.js";
import type { Feed } from "../../../runtime/sequence/features/feed.js";
import { interpret, type Outputs } from "../../../runtime/backends/reference/interpret.js";
import {
  acceptPrompt,
  acceptToken,
  featureInputs,
  startSequence,
  uniformsOf,
  type SequenceState,
  type UniformValues,
} from "../../../runtime/sequence/sequence.js";
import { rowsOfGraph, type Rows } from "../../parity/rows.js";
import type { Need } from "../../needs.js";
import type { Vector } from "../../../runtime/backends/reference/kernels.js";

export const PYTHON = "/usr/bin/python3";
const RUNNER = "test/emit/python/run.py";

/** A library of Debian's Python. */
export const pythonWith = (library: PythonLibrary | "onnx"): Need => ({
  what: `${library} for Python`,
  isThere: spawnSync(PYTHON, ["-c", `import ${library}`]).status === 0,
  fix: `apt-get install python3-${library}`,
  isRequired: (process.env["GGSL_NEED_PYTHON"] ?? "").split(",").includes(library),
});

/** What a file prints. */
export function runFile(text: string): string {
  const { status, stdout, stderr } = spawnSync(PYTHON, ["-"], { input: text, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

export interface Case {
  readonly name: string;
  readonly graph: Graph;
  /** Of each text, one for each step. */
  readonly logits: readonly (readonly Float32Array[])[];
  readonly prompt: readonly number[];
  readonly uniforms?: UniformValues;
  readonly feed?: Feed;
  /** The texts of the tokens as bytes, if the chain compares texts. */
  readonly pieces?: readonly (readonly number[])[];
}

/** What a step gives for a text. */
export interface Result {
  readonly token: number | undefined;
  readonly rows: Rows | undefined;
  readonly scalars: readonly number[];
}

/** By case, by step, by text; or the error that Python ended with. */
export type Found = readonly (readonly Result[])[] | string;

/** The results of the reference, and of each case in Python, which accepts the tokens that the reference does. */
export function compare(
  library: PythonLibrary,
  cases: readonly Case[],
): { readonly wanted: (readonly (readonly Result[])[])[]; readonly found: Found[] } {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-python-"));
  try {
    const data = new Data();
    const runs = cases.map((c) => runReference(c));
    const manifest = cases.map((c, i) => {
      const file = `case${i}.py`;
      writeFileSync(join(folder, file), emitPython(c.graph, library));
      return { file, library, ...manifestOf(c, runs[i]!, data) };
    });
    writeFileSync(join(folder, "cases.json"), JSON.stringify(manifest));
    writeFileSync(join(folder, "data.bin"), data.bytes());
    const { status, stderr } = spawnSync(PYTHON, [RUNNER, folder], { encoding: "utf8" });
    if (status !== 0) throw new Error(`${RUNNER} failed: ${stderr}`);
    const lines = JSON.parse(readFileSync(join(folder, "found.json"), "utf8")) as PythonResult[];
    return {
      wanted: runs.map(({ outputs }) => outputs.map((step) => step.map(resultOf))),
      found: lines.map((line, i) => ("error" in line ? line.error : line.steps.map((s) => readStep(s, cases[i]!)))),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// ---------------------------------------------------------------- the reference

interface ReferenceRun {
  readonly outputs: readonly (readonly Outputs[])[];
  readonly inputs: readonly (readonly (readonly Vector[])[])[];
  readonly accepted: readonly (readonly number[])[];
}

function runReference({ graph, logits, prompt, uniforms = {}, feed = {} }: Case): ReferenceRun {
  const vocabSize = logits[0]![0]!.length;
  let sequences: SequenceState[] = logits.map(() =>
    acceptPrompt(startSequence(graph, vocabSize, { uniforms, feed }), prompt),
  );
  const run = { outputs: [] as Outputs[][], inputs: [] as Vector[][][], accepted: [] as number[][] };
  for (let step = 0; step < logits[0]!.length; step++) {
    const inputs = sequences.map((sequence) => featureInputs(sequence));
    const outputs = sequences.map((sequence, b) =>
      interpret(graph, [logits[b]![step]!, ...inputs[b]!], uniformsOf(sequence)),
    );
    const accepted = outputs.map((output) => output.sampled ?? resultOf(output).rows?.tokens[0] ?? 0);
    sequences = sequences.map((sequence, b) => acceptToken(sequence, accepted[b]!, outputs[b]!.states));
    run.outputs.push(outputs);
    run.inputs.push(inputs);
    run.accepted.push(accepted);
  }
  return run;
}

const resultOf = (outputs: Outputs): Result => ({
  token: outputs.sampled,
  rows: outputs.logits && rowsOfGraph(outputs),
  scalars: [...outputs.states],
});

// ---------------------------------------------------------------- Python

interface Part {
  readonly offset: number;
  readonly count: number;
  readonly dtype: "f32" | "i32";
  readonly shape: readonly number[];
}

class Data {
  private readonly chunks: Buffer[] = [];
  private length = 0;

  /** One row for each text. */
  add(rows: readonly Vector[]): Part {
    const dtype = rows[0] instanceof Float32Array ? "f32" : "i32";
    const part: Part = {
      offset: this.length,
      count: rows.length * rows[0]!.length,
      dtype,
      shape: [rows.length, rows[0]!.length],
    };
    for (const row of rows) this.chunks.push(Buffer.from(row.buffer, row.byteOffset, row.byteLength));
    this.length += 4 * part.count;
    return part;
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }
}

function manifestOf(
  { graph, logits, prompt, uniforms = {}, feed = {}, pieces }: Case,
  run: ReferenceRun,
  data: Data,
): object {
  const { given } = inputsByGiver(graph, surfaceOf(graph));
  const batch = logits.length;
  const isBiased = graph.features.some(({ from }) => from.kind === "bias");
  return {
    batch,
    prompt: logits.map(() => prompt),
    values: uniforms,
    ...(isBiased && {
      bias: logits.map(() => Object.fromEntries([...(feed.bias ?? [])].map(([t, x]) => [t, String(x)]))),
    }),
    ...(pieces && comparesTexts(graph) && { pieces }),
    steps: run.inputs.map((inputs, step) => ({
      logits: data.add(logits.map((rows) => rows[step]!)),
      inputs: Object.fromEntries(
        given.map(({ name, index }) => [name, data.add(inputs.map((vectors) => vectors[index - 1]!))]),
      ),
      ...(graph.outputs.sampled === undefined && { accept: run.accepted[step] }),
    })),
  };
}

type PythonStep = Readonly<Record<string, readonly (readonly (number | string)[])[]>>;
type PythonResult = { readonly steps: readonly PythonStep[] } | { readonly error: string };

function readStep(step: PythonStep, { graph, logits }: Case): Result[] {
  const row = (name: string, b: number): number[] | undefined =>
    step[name]?.[b]!.map((x) => (typeof x === "number" ? x : x === "-inf" ? -Infinity : x === "inf" ? Infinity : NaN));
  return logits.map((_, b) => {
    const [rows, candidates, probs] = ["row_logits", "candidates", "probs"].map((name) => row(name, b));
    return {
      token: row("sampled", b)?.[0],
      rows:
        rows &&
        rowsOfGraph({
          logits: Float32Array.from(rows),
          probs: Float32Array.from(probs!),
          ...(candidates && { candidates: Int32Array.from(candidates) }),
          states: new Float32Array(),
        }),
      scalars: [
        ...graph.states.map((__, i) => row(`next_state_${i}`, b)![0]!),
        ...(graph.windows ?? []).map((__, i) => row(`next_window_${i}`, b)![0]!),
        ...graph.measures.map((__, i) => row(`measure_${i}`, b)![0]!),
        ...(graph.stops ?? []).map((__, i) => row(`stop_${i}`, b)![0]!),
      ],
    };
  });
}

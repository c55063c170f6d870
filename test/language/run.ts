/** A sampler's body on given logits, on each backend. */
import { compileProgram, graphOf } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { startSequence, uniformsOf } from "../../runtime/sequence/sequence.js";
import { runOf, type Backend, type Results } from "../parity/backends.js";
import { rowsOfGraph, type Rows } from "../parity/rows.js";

const programOf = (statements: readonly string[]): string =>
  `sampler s() {\n  ${statements.join("\n  ")}\n}\nchain c() = s()`;

export const compileBody = (...statements: readonly string[]): Graph =>
  graphOf(compileProgram(programOf(statements), { outputs: ["candidates", "logits", "probs", "sampled"] }));

export function evaluateGraph(graph: Graph, logits: Float32Array, backend: Backend): Results {
  const uniforms = uniformsOf(startSequence(graph, logits.length));
  return runOf(backend, graph, logits.length)(logits, uniforms);
}

export const rowsAfter = (graph: Graph, logits: Float32Array, backend: Backend): Rows =>
  rowsOfGraph(evaluateGraph(graph, logits, backend));

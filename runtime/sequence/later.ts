/** What a chain is fed with for tokens that come later. */
import type { Graph, UniformExpr } from "@ggsl/compiler/graph/graph.js";
import { isConstantInput } from "@ggsl/compiler/graph/sets.js";
import { leavesOf } from "@ggsl/compiler/graph/uniform.js";
import { readsText, uniformsOf, type SequenceState } from "./sequence.js";

/** Whether the chain's uniforms do not depend on the text, and it has nothing else that does: they are known before its tokens are. */
export const isForeseeable = (graph: Graph): boolean =>
  graph.inputs.slice(1).every((input) => isConstantInput(input, graph)) &&
  graph.states.length === 0 &&
  graph.tail.length === 0 &&
  graph.uniforms.every(({ expr }) => !readsText(expr) && !readsMembers(expr)) &&
  graph.draws.every(({ at }) => at === undefined);

const readsMembers = (expr: UniformExpr): boolean =>
  leavesOf(expr).some((leaf) => typeof leaf === "object" && "member" in leaf);

/** The uniforms of the `count` tokens after the next one, in turn. */
export function laterUniforms(sequence: SequenceState, count: number): Float32Array {
  const { length } = sequence.graph.uniforms;
  const values = new Float32Array(count * length);
  for (let i = 0; i < count; i++) {
    const later = i + 1;
    const streams = sequence.streams.map((stream) => stream.at(stream.count + later));
    values.set(uniformsOf({ ...sequence, streams, step: sequence.step + later }), i * length);
  }
  return values;
}

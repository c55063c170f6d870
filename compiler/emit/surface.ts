/** What an emitted program takes and gives: the names, types and order of inputs and outputs, the same in every form. */
import type { Dim, Dtype, Graph, NodeId, Uniform } from "../graph/graph.js";
import { versionOf } from "../graph/specVersions.js";
import { isConstantInput } from "../graph/sets.js";
import { evaluateUniform, leavesOf, type UniformEnvironment } from "../graph/uniform.js";

/** An input with the values of one feature, or the logits. */
export interface EmittedInput {
  readonly name: string;
  /** Its number in the graph. */
  readonly index: number;
  readonly dtype: Dtype;
  /** The number of values; packed ones are `i32[ceil(V/16)]`, 16 tokens in a word, the lowest bit first. */
  readonly dim: Dim;
  readonly isPacked: boolean;
  /** The same for every token and sequence. */
  readonly isConstant: boolean;
}

/** A result that the program gives. */
interface EmittedOutput {
  readonly name: string;
  readonly node: NodeId;
  readonly dtype: Dtype;
  readonly dim: Dim;
}

/** A result for each row or sequence; `kind` says which of the graph. */
interface EmittedResult extends EmittedOutput {
  readonly kind: keyof typeof OUTPUTS;
}

/** A uniform of the graph: a constant of the program, or a place in its input `uniforms`. */
type EmittedUniform = { readonly value: number } | { readonly place: number };

export interface Surface {
  /** The logits first. */
  readonly inputs: readonly EmittedInput[];
  /** The name of the input with the uniforms. */
  readonly uniformsName: string;
  /** The uniforms, by their numbers in the graph. */
  readonly uniforms: readonly EmittedUniform[];
  /** The numbers of the uniforms in that input, by place; it is absent if there are none. */
  readonly fed: readonly number[];
  /** The token and the rows. */
  readonly outputs: readonly EmittedResult[];
  /** The next values of the states, then the measures. */
  readonly scalars: readonly EmittedOutput[];
}

const UNIFORMS = "uniforms";

/** Begins the names inside an emitted program, and all names of a chain that is appended to a model. */
export const OWN = "ggsl.";

/** The names of the outputs in every form; `logits` is the name of an input. */
const OUTPUTS = { sampled: "sampled", candidates: "candidates", logits: "row_logits", probs: "probs" } as const;

/** @param vocabSize if it is known, a uniform that depends on nothing else is a constant */
export function surfaceOf(graph: Graph, vocabSize?: number): Surface {
  const constants = graph.uniforms.map((uniform) => constantOf(uniform, vocabSize));
  const fed = constants.flatMap((value, i) => (value === undefined ? [i] : []));
  const uniforms = constants.map((value, i) => (value === undefined ? { place: fed.indexOf(i) } : { value }));
  const scalars = scalarsOf(graph);
  const uniformsName = UNIFORMS;
  return { inputs: inputsOf(graph, scalars), uniformsName, uniforms, fed, outputs: outputsOf(graph), scalars };
}

/** The surface of a chain that is appended to a model. Its `logits` are no input: they are made of the model's. */
export function appendedSurfaceOf(graph: Graph, vocabSize: number): Surface {
  const surface = surfaceOf(graph, vocabSize);
  const own = <Named extends { readonly name: string }>(named: Named): Named => ({ ...named, name: OWN + named.name });
  return {
    ...surface,
    inputs: surface.inputs.map(own),
    uniformsName: OWN + surface.uniformsName,
    outputs: surface.outputs.map(own),
    scalars: surface.scalars.map(own),
  };
}

/** The value of a uniform that is the same for every token. */
function constantOf({ expr }: Uniform, vocab: number | undefined): number | undefined {
  const isConstant = leavesOf(expr).every(
    (leaf) => typeof leaf === "number" || (leaf === "vocab" && vocab !== undefined),
  );
  // nothing else of the environment is read
  return isConstant ? Math.fround(evaluateUniform(expr, { vocab } as UniformEnvironment)) : undefined;
}

/** A program may call its inputs as it likes; here no two names are the same, whichever outputs there are. */
function inputsOf(graph: Graph, scalars: readonly EmittedOutput[]): EmittedInput[] {
  const names = new Set([UNIFORMS, ...Object.values(OUTPUTS), ...scalars.map(({ name }) => name)]);
  return graph.inputs.map((input, index) => {
    const isPacked = input.source.kind === "bits";
    const name = distinct(index === 0 ? "logits" : input.name.replace(/\W+/g, "_"), names);
    return {
      name,
      index,
      dtype: isPacked ? "i32" : input.dtype,
      dim: input.dim,
      isPacked,
      isConstant: isConstantInput(input, graph),
    };
  });
}

/** A name that is not among `names`, which it joins. */
function distinct(name: string, names: Set<string>): string {
  let found = name;
  for (let n = 2; names.has(found); n++) found = `${name}_${n}`;
  names.add(found);
  return found;
}

const outputsOf = ({ nodes, outputs }: Graph): EmittedResult[] =>
  (Object.keys(OUTPUTS) as (keyof typeof OUTPUTS)[]).flatMap((kind) => {
    const node = outputs[kind];
    return node === undefined ? [] : [{ kind, ...outputOf(nodes, OUTPUTS[kind], node) }];
  });

const scalarsOf = ({ nodes, states, measures }: Graph): EmittedOutput[] => [
  ...states.map(({ next }, i) => outputOf(nodes, `next_state_${i}`, next)),
  ...measures.map(({ node }, i) => outputOf(nodes, `measure_${i}`, node)),
];

const outputOf = (nodes: Graph["nodes"], name: string, node: NodeId): EmittedOutput => ({
  name,
  node,
  dtype: nodes[node]!.dtype,
  dim: nodes[node]!.dim,
});

/**
 * What the host must know to feed the program, as plain data: the graph without its nodes, with the names of the inputs, and only
 * the uniforms of the input `uniforms`, in its order.
 */
export function interfaceData(graph: Graph, surface: Surface): object {
  const { nodes: _, stages: __, tail: ___, outputs: ____, ...kept } = graph;
  return {
    ggsl: versionOf(graph),
    ...kept,
    uniforms: surface.fed.map((i) => graph.uniforms[i]),
    inputs: graph.inputs.map((input, i) => ({ ...input, name: surface.inputs[i]!.name })),
  };
}

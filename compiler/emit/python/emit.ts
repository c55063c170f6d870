/** A graph as a file of Python, for NumPy or PyTorch. */
import type { Graph, Param } from "../../graph/graph.js";
import type { OpName } from "../../graph/ops.js";
import { setsOf } from "../../graph/sets.js";
import { EmitError, refuseTail } from "../emitError.js";
import { surfaceOf, type Surface } from "../surface.js";
import { numberText, stringText } from "./expression.js";
import { FUNCTIONS, functionsFor } from "./functions.js";
import { hostFaults, inputsByGiver, sequenceText } from "./host.js";
import { NUMPY, NUMPY_FUNCTIONS } from "./numpy.js";
import { samplerText } from "./sampler.js";
import { rowsText, type Emitters, type Written } from "./shared.js";
import { TORCH, TORCH_FUNCTIONS } from "./torch.js";

interface Library {
  readonly name: string;
  readonly imports: readonly string[];
  readonly emitters: Emitters;
  readonly functions: Readonly<Record<string, string>>;
  /** Lines above `sample`. */
  readonly decorators: readonly string[];
}

const LIBRARIES = {
  numpy: {
    name: "NumPy",
    imports: ["import numpy as np"],
    emitters: NUMPY,
    functions: NUMPY_FUNCTIONS,
    // a logarithm of 0 is -inf, as the graph expects
    decorators: ['@np.errstate(all="ignore")'],
  },
  torch: {
    name: "PyTorch",
    imports: ["import numpy as np", "import torch"],
    emitters: TORCH,
    functions: TORCH_FUNCTIONS,
    decorators: [],
  },
} satisfies Record<string, Library>;

export type PythonLibrary = keyof typeof LIBRARIES;

/**
 * One file without dependencies but the library: `sample(logits, uniforms, inputs)`, `Sequence`, which works out uniforms and draws,
 * `Sampler` for a batch, and for PyTorch a Hugging Face `LogitsProcessor`. Throws `EmitError` for a host tail, and for sets that
 * only a vocabulary knows.
 */
export function emitPython(graph: Graph, library: PythonLibrary): string {
  const known: Library = LIBRARIES[library];
  const { name, imports, functions } = known;
  refuseTail(graph, name);
  const faults = hostFaults(graph);
  if (faults.length > 0) throw new EmitError(name, faults);
  const surface = surfaceOf(graph);
  const parts = [
    tablesText(graph),
    sampleText(graph, surface, known),
    sequenceText(graph, surface),
    samplerText(graph, surface, library),
  ];
  const called = functionsFor(parts.join("\n"), { ...functions, ...FUNCTIONS });
  const [constants, ...rest] = parts;
  const body = [...called, ...rest].map((part) => part.trim()).join("\n\n\n");
  const standard = /\bsecrets\./.test(body) ? "import secrets\n\n" : "";
  const optional = body.includes("(LogitsProcessor)") ? `\n${OPTIONAL}` : "";
  return `${headText(graph, name)}\n\n${standard}${imports.join("\n")}\n${optional}\n${constants}\n\n\n${body}\n`;
}

const OPTIONAL = `try:
    from transformers import LogitsProcessor, StoppingCriteria
except ImportError:
    LogitsProcessor = StoppingCriteria = object
`;

/** A text in a comment. */
const oneLine = (text: string): string => text.replace(/\s+/g, " ");

function headText(graph: Graph, library: string): string {
  const stages = graph.stages.map(({ name }) => name).join(" |> ");
  const text = `The sampler \`${graph.name}\` for ${library}, written by \`ggsl compile\`: ${stages}`;
  return `"""${text.replaceAll("\\", "\\\\").replaceAll('"""', "'''")}"""`;
}

/** The parameters, with what they take. */
function tablesText(graph: Graph): string {
  const params = graph.params.map((p) => `    ${stringText(p.name)}: (${paramParts(p).join(", ")}),\n`);
  const sets = setsOf(graph).flatMap(({ name }) => (name === undefined ? [] : [stringText(name)]));
  return [`PARAMS = {${params.length > 0 ? `\n${params.join("")}` : ""}}`, `SETS = [${sets.join(", ")}]`].join("\n");
}

/** Name, type, default, bounds, and whether they are excluded. */
function paramParts({ name, type, default: value, range }: Param): string[] {
  const { min, max, minExcluded = false, maxExcluded = false } = range;
  const bound = (x: number | undefined): string => (x === undefined ? "None" : numberText(x));
  const standard = value === "random" ? "None" : numberText(value);
  const excluded = [minExcluded, maxExcluded].map((isExcluded) => (isExcluded ? "True" : "False"));
  return [stringText(name), stringText(type), standard, bound(min), bound(max), ...excluded];
}

/** A uniform is a constant, or has another place in the array than in the graph. */
function nodeText(emitters: Emitters, op: OpName, node: Written, { uniforms }: Surface): string {
  if (op !== "uniform") return emitters[op](node);
  const uniform = uniforms[node.attrs["index"] as number]!;
  return "value" in uniform
    ? emitters.fill({ ...node, attrs: { value: uniform.value } })
    : emitters.uniform({ ...node, attrs: { index: uniform.place } });
}

function sampleText(graph: Graph, surface: Surface, { emitters, decorators }: Library): string {
  const names = graph.nodes.map(({ name }, i) => (name && /^[a-z]\w*$/.test(name) ? `${name}_${i}` : `v${i}`));
  const lines = graph.nodes.map(({ op, inputs, attrs, dim, origin }, i) => {
    const operands = inputs.map((id) => names[id]!);
    const line = `    ${names[i]} = ${nodeText(emitters, op, { operands, attrs, rows: rowsText(dim) }, surface)}\n`;
    const isNew = origin !== undefined && origin.stage !== graph.nodes[i - 1]?.origin?.stage;
    return isNew ? `    # ${oneLine(graph.stages[origin.stage]?.name ?? "")}\n${line}` : line;
  });
  const { computed, given } = inputsByGiver(graph, surface);
  const inputs = [...computed, ...given];
  const docs = inputs.map(
    ({ name, dtype, dim, isPacked }) =>
      `    inputs[${JSON.stringify(name)}]: ${isPacked ? "0 or 1 for each token, " : ""}${dtype === "i32" && !isPacked ? "int64" : "float32"}[B, ${rowsText(isPacked ? "V" : dim)}]\n`,
  );
  const fed = surface.fed.length;
  const results = [...surface.outputs, ...surface.scalars].map(
    ({ name, node }) => `        ${JSON.stringify(name)}: _wide(${names[node]}, B),\n`,
  );
  return `
${[...decorators, "def sample("].join("\n")}logits, uniforms, inputs=None):
    """One token for each of B sequences.

    logits: float32[B, V]
    uniforms: float32[B, ${fed}]${fed === 0 ? ", which is empty" : ""}
${docs.join("")}    Gives a dict: ${[...surface.outputs, ...surface.scalars].map(({ name }) => name).join(", ")}; the states are those after the token is accepted.
    """
    B, V = logits.shape
    given = [logits${surface.inputs
      .slice(1)
      .map(({ name }) => `, inputs[${JSON.stringify(name)}]`)
      .join("")}]
${lines.join("")}    return {
${results.join("")}    }
`;
}

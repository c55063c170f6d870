/** Compiles a source, and says what came of it. It runs in the worker thread. */
import path from "node:path";
import type { Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { CompileError, isError } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { formatDiagnostic } from "@ggsl/compiler/check/format.js";
import { diskImporter, libraryImporter } from "@ggsl/compiler/diskImporter.js";
import {
  compileLowered,
  compileRows,
  graphOf,
  lowerProgram,
  lowerStages,
  type CompileOptions,
  type LoweredChain,
} from "@ggsl/compiler/driver.js";
import { costOf } from "@ggsl/compiler/graph/cost.js";
import { namedInputs } from "@ggsl/compiler/graph/features.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import { isPhraseParam, phrasesOf } from "@ggsl/compiler/graph/phrases.js";
import type { Graph, Param } from "@ggsl/compiler/graph/graph.js";
import { readSpec, SpecError } from "@ggsl/compiler/graph/json.js";
import { setsOf } from "@ggsl/compiler/graph/sets.js";
import { picksToken } from "@ggsl/compiler/graph/tail.js";
import { isTraceName, traceParts } from "@ggsl/compiler/graph/trace.js";
import { LIMIT_PRESETS, type Limits } from "@ggsl/compiler/limits/limits.js";
import { lineColumn } from "@ggsl/compiler/source/source.js";
import { explainGraph, explanationText } from "ggsl/chain/explainGraph.js";
import type { Package } from "@ggsl/compiler/packages.js";
import { disk } from "../disk.js";
import type { Source } from "./form.js";
import { policyOf, type PolicyFile } from "./policy.js";
import type { SamplerDiagnostic, SamplerFacts, SamplerInput, SamplerParameter } from "./types.js";

/** What a thread compiles. */
export interface Job {
  readonly source: Source;
  readonly vocabSize: number;
  /** Replace those of `strict`. */
  readonly limits: Partial<Limits>;
  /** The packages that programs of requests can import; default: none. */
  readonly libraries?: readonly Package[] | undefined;
  /** Stages of the server before those of all chains, and before their picks. */
  readonly policy?: PolicyFile | undefined;
}

/** The graph as JSON, which says how much memory it takes. */
export interface Compiled {
  readonly kind: "compiled";
  readonly facts: Omit<SamplerFacts, "spec">;
  readonly graph: string;
  /** The graph of its rows, if it was asked for. */
  readonly rows?: string;
  /** The graph with the stages of the policy, which texts run and nobody sees; `rows` is that of its rows. */
  readonly underPolicy?: string;
}

export type Reply =
  | Compiled
  | { readonly kind: "invalid"; readonly diagnostics: readonly SamplerDiagnostic[] }
  /** A fault of the compiler. */
  | { readonly kind: "failed"; readonly message: string };

/** Files of libraries that a program of a request can import. */
const LIBRARY_FILES = 64;
/** The name of the client's text in diagnostics. */
const FILE = "sampler";

export function compileJob(job: Job): Reply {
  try {
    return compiled(job);
  } catch (error) {
    if (error instanceof CompileError) return { kind: "invalid", diagnostics: error.diagnostics.map(diagnosticOf) };
    if (error instanceof SpecError) return { kind: "invalid", diagnostics: error.faults.map(specFault) };
    const { stack, message } = error as Error;
    return { kind: "failed", message: stack ?? message };
  }
}

/** What programs of requests may cost. */
export const requestLimits = ({ libraries = [], limits, vocabSize }: Omit<Job, "source">): Limits => ({
  ...LIMIT_PRESETS.strict,
  ...(libraries.length > 0 && { files: LIBRARY_FILES }),
  vocabSize,
  ...limits,
});

function compiled(job: Job): Compiled {
  const { source, vocabSize } = job;
  const { form, text, own } = source;
  const limits = own ? { ...LIMIT_PRESETS.default, vocabSize } : requestLimits(job);
  const warnings: Diagnostic[] = [];
  const result = (graph: Graph, rows?: Graph): Compiled => ({
    kind: "compiled",
    facts: { form, ...factsOf(graph, vocabSize), diagnostics: warnings.map(diagnosticOf) },
    graph: JSON.stringify(graph),
    ...(rows && rows !== graph && { rows: JSON.stringify(rows) }),
  });
  const policy = job.policy && policyOf(job.policy);
  if (form === "spec") {
    if (policy)
      throw new SpecError([
        "this server has a policy, whose stages cannot be put between those of a compiled graph: send the program instead",
      ]);
    const graph = readSpec(text, { limits });
    if (source.constrained && grammarsOf(graph).length === 0)
      throw new SpecError([
        "it has no grammar parameter, and the request has a grammar: send the program instead, or compile it with `--constrained`",
      ]);
    if (source.rows && graph.outputs.probs === undefined && graph.tail.length === 0)
      throw new SpecError([
        "its outputs have no probabilities, which the request asks for: send the program instead, or compile it with all outputs",
      ]);
    if (source.trace && traceParts(graph).length === 0)
      throw new SpecError([
        "it has no trace, which the request asks for: send the program instead, or compile it with `trace: true`",
      ]);
    return result(graph);
  }
  const options = { limits, ...optionsOf(job) };
  const lower = form === "program" ? lowerProgram : lowerStages;
  const lowered = lower(text, options);
  const graph = graphOf(compileLowered(lowered, options), (warning) => warnings.push(warning));
  const rowsOf = (from: LoweredChain, whole: Graph): Graph | undefined =>
    source.rows ? graphOf(compileRows(from, whole, options)) : undefined;
  if (!policy) return result(graph, rowsOf(lowered, graph));
  const ruling = { ...options, policy };
  const ruled = lower(text, ruling);
  const whole = graphOf(compileLowered(ruled, options));
  const rows = rowsOf(ruled, whole);
  return { ...result(graph), underPolicy: JSON.stringify(whole), ...(rows && { rows: JSON.stringify(rows) }) };
}

function optionsOf({ source: { chain, constrained, trace, own }, libraries = [] }: Job): CompileOptions {
  const file = own?.file;
  return {
    file: file ?? own?.name ?? FILE,
    ...(chain !== undefined && { chain }),
    ...(constrained && { constrained }),
    ...(trace && { trace }),
    importer:
      file === undefined ? libraryImporter(disk, libraries) : diskImporter(disk, { rootOf: () => path.dirname(file) }),
  };
}

function factsOf(graph: Graph, vocabSize: number) {
  return {
    chainName: graph.name,
    parameters: parametersOf(graph),
    inputs: inputsOf(graph),
    measures: graph.measures.map(({ name }) => name).filter((name) => !isTraceName(name)),
    stops: [...new Set((graph.stops ?? []).map(({ name }) => name))],
    picks: picksToken(graph),
    cost: costOf(graph, vocabSize),
    explain: explanationText(explainGraph(graph, vocabSize), "in the graph"),
  };
}

const documented = (doc: string | undefined): { readonly doc?: string } => (doc === undefined ? {} : { doc });

const parametersOf = (graph: Graph): SamplerParameter[] => [
  ...graph.params.map(numberParameter),
  ...setsOf(graph).flatMap(({ name, of, capacity, doc }): SamplerParameter[] =>
    name === undefined || phrasesOf(graph).some((list) => list.name === name)
      ? []
      : [{ name, type: "tokens", default: of, capacity: capacity!, ...documented(doc) }],
  ),
  ...phrasesOf(graph)
    .filter(isPhraseParam)
    .map(({ name, of }): SamplerParameter => ({
      name,
      type: "phrases",
      default: of.map((item) => (typeof item === "string" ? item : { regex: item.pattern })),
      ...documented(setsOf(graph).find((set) => set.name === name)?.doc),
    })),
  ...grammarsOf(graph).map(({ name, default: standard, doc }): SamplerParameter => ({
    name,
    type: "grammar",
    ...(standard !== undefined && { default: standard }),
    ...documented(doc),
  })),
];

function numberParameter({ name, type, range, default: standard, doc }: Param): SamplerParameter {
  const { min, max, minExcluded, maxExcluded } = range;
  return {
    name,
    type,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(minExcluded && { excludesMin: true }),
    ...(maxExcluded && { excludesMax: true }),
    default: type === "bool" ? standard === 1 : standard,
    ...documented(doc),
  };
}

const inputsOf = ({ features }: Graph): SamplerInput[] =>
  namedInputs(features).map(({ name, form, ...given }): SamplerInput => {
    if (given.kind === "text") return { name, kind: "text", capacity: given.capacity };
    if (given.kind === "guide") return { name, kind: "guide" };
    const capacity = form.kind === "sparse" && form.capacity !== "V" ? { capacity: form.capacity } : {};
    return { name, kind: "column", type: given.type ?? "f32", ...capacity };
  });

function diagnosticOf(d: Diagnostic): SamplerDiagnostic {
  const { code, severity, message, label, help } = d;
  const { source, start, end } = d.span;
  const [from, to] = [lineColumn(source, start), lineColumn(source, end)];
  return {
    severity: isError(d) ? severity : "warning",
    code,
    message,
    file: source.name,
    line: from.line,
    column: from.column,
    endLine: to.line,
    endColumn: to.column,
    ...(label !== undefined && { label }),
    ...(help !== undefined && { help }),
    text: formatDiagnostic(d),
  };
}

const specFault = (fault: string): SamplerDiagnostic => ({
  severity: "error",
  code: "INVALID_SPEC",
  message: fault,
  text: `error[INVALID_SPEC]: ${fault}`,
});

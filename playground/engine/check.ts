/** Diagnostics of the program, and the parameters of its chain. */
import { quickFix } from "@ggsl/compiler/check/fixes.js";
import { CompileError, isError, type Diagnostic } from "@ggsl/compiler/diagnostics/diagnostic.js";
import { checkProgram, type DriverOptions } from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import { LIMIT_PRESETS } from "@ggsl/compiler/limits/limits.js";
import { lineColumn, type SourceFile } from "@ggsl/compiler/source/source.js";
import type { File } from "@ggsl/compiler/syntax/ast.js";
import { symbolsOf } from "./language.js";
import type { ChainFacts, CheckReply, PageDiagnostic, ProgramRef } from "./messages.js";
import { parseProgram } from "./parser.js";
import { openProgram, sourceOf, type OpenProgram } from "./program.js";

const OPTIONS: DriverOptions = { parse: parseProgram };

export function checkText(ref: ProgramRef): CheckReply {
  const source = sourceOf(ref.text);
  const all = checkProgram(source, OPTIONS);
  const symbols = symbolsOf(source);
  const chains = symbols.filter(({ kind }) => kind === "chain").map(({ name }) => name);
  const { file } = parseProgram(source, { limits: LIMIT_PRESETS.default });
  const reply = { diagnostics: all.map((d) => pageDiagnostic(d, source, file)), symbols, chains };
  if (all.some(isError)) return reply;
  if (chains.length === 0)
    return { ...reply, absent: "The program declares no chain: add one, such as `chain c = greedy()`." };
  const chain = ref.chain !== undefined && chains.includes(ref.chain) ? ref.chain : chains[0]!;
  return { ...reply, ...chainOf({ ...ref, chain }) };
}

/** The chain, or why there is none: a static parameter without a value, or with an invalid one. */
function chainOf(ref: ProgramRef): Pick<CheckReply, "absent" | "chain"> {
  const program = openProgram(ref);
  try {
    return { chain: factsOf(program, program.graph()) };
  } catch (error) {
    if (!(error instanceof CompileError)) throw error;
    const absent = error.diagnostics.map(({ message, help }) => [message, help].filter(Boolean).join("; ")).join("\n");
    const { chain, stages, statics, sets } = program;
    const none = { params: [], grammars: [], guides: [], picks: false, states: [], measures: [] };
    return { absent, chain: { name: chain.name.text, statics, sets, stages, ...none } };
  }
}

const factsOf = ({ chain, stages, statics, sets }: OpenProgram, graph: Graph): ChainFacts => ({
  name: chain.name.text,
  params: graph.params,
  statics,
  sets,
  grammars: grammarsOf(graph),
  guides: guidesOf(graph).map(({ name }) => name),
  stages,
  picks: graph.outputs.sampled !== undefined,
  states: graph.states.map(({ name }) => name),
  measures: graph.measures.map(({ name }) => name),
});

/** Errors in imported files are shown at the import; only the standard library can be imported. */
function pageDiagnostic(d: Diagnostic, source: SourceFile, file: File): PageDiagnostic {
  const { code, severity, message, label, help, span } = d;
  const { start, end } = span.source.name === source.name ? span : { start: 0, end: 0 };
  const fix = span.source.name === source.name ? quickFix(file, d) : undefined;
  const edits = fix?.edits.map(({ span: { start, end }, text }) => ({ from: start, to: end, insert: text }));
  return {
    from: start,
    to: end,
    ...lineColumn(source, start),
    code,
    severity,
    message: label === undefined ? message : `${message}: ${label}`,
    ...(help !== undefined && { help }),
    ...(fix && { fix: { title: fix.title, edits: edits! } }),
  };
}

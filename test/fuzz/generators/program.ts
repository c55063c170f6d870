/** What is done with a program, whichever generator made it. */
import { isError, type Diagnostic } from "../../../compiler/diagnostics/diagnostic.js";
import { formatDiagnostics } from "../../../compiler/check/format.js";
import { checkProgram, checkSource, compileProgram, isOpen } from "../../../compiler/driver.js";
import { readSpec, writeSpec } from "../../../compiler/graph/json.js";
import { print } from "../../../format/print.js";
import { createEvaluator } from "../../../runtime/chain/evaluate.js";
import type { SourceFile } from "../../../compiler/source/source.js";
import { Wrong } from "../core/generator.js";

const VOCAB_SIZE = 16;
const LOGITS = Float32Array.from({ length: VOCAB_SIZE }, (_, i) => Math.sin(3 * i) * 4);

/** More text than anyone reads, for any program. */
const MOST_OUTPUT = 2 ** 20;

/** What can be done with a program. */
export const PARTS = ["check", "format", "run"] as const;
export type Part = (typeof PARTS)[number];

/** Checks, formats, compiles and runs a program, or does only one of these. */
export function runProgram(text: string, parts: readonly Part[] = PARTS): void {
  const source = { name: "case.ggsl", text };
  if (parts.includes("check")) expectReadable(checkProgram(source), text);
  if (parts.includes("format")) formatTwice(source);
  if (parts.includes("run")) runChains(source);
}

function formatTwice(source: SourceFile): void {
  const printed = print(source);
  if (!("text" in printed)) return;
  const again = print({ name: source.name, text: printed.text });
  if (!("text" in again)) {
    // the canonical form may be longer than a source
    if (again.diagnostics.every((d) => d.code === "E0102")) return;
    throw new Wrong("the canonical form has syntax errors");
  }
  if (again.text !== printed.text) throw new Wrong("the canonical form of the canonical form differs");
}

function runChains(source: SourceFile): void {
  const { text } = source;
  const chains = checkSource(source).program?.chains.filter((chain) => !isOpen(chain)) ?? [];
  for (const { name } of chains.slice(0, 3)) runChain(text, name.text);
}

function runChain(text: string, chain: string): void {
  const { graph, diagnostics } = compileProgram(text, { chain });
  if (!graph) {
    if (!diagnostics.some(isError)) throw new Wrong("no graph, and no diagnostic that says why");
    return;
  }
  const spec = writeSpec(graph);
  if (writeSpec(readSpec(spec)) !== spec) throw new Wrong("a spec differs after reading it");
  // these need a model
  if (graph.tail.length > 0 || graph.features.some(({ from }) => from.kind === "allowed")) return;
  using evaluator = createEvaluator(graph, VOCAB_SIZE, { backend: "reference" });
  const { token, candidates } = evaluator.evaluate(LOGITS);
  if (token !== null && !(token >= 0 && token < VOCAB_SIZE)) throw new Wrong(`the token ${token} is picked`);
  if (candidates.some(({ prob }) => !(prob >= 0 && prob <= 1))) throw new Wrong("a probability is not between 0 and 1");
}

function expectReadable(diagnostics: readonly Diagnostic[], text: string): void {
  const shown = formatDiagnostics(diagnostics);
  if (shown.length > MOST_OUTPUT) throw new Wrong(`the diagnostics have ${shown.length} characters`);
  if (/[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(shown)) throw new Wrong("the diagnostics contain control characters");
  for (const { span } of diagnostics) {
    const { source, start, end } = span;
    if (source.text === text && !(start >= 0 && start <= end && end <= text.length))
      throw new Wrong(`a span from ${start} to ${end} in ${text.length} characters`);
  }
}

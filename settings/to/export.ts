/** Chains as settings of other tools: `ggsl export`. */
import type { Settings } from "@ggsl/compiler/lower/params.js";
import { compileError } from "@ggsl/compiler/check/format.js";
import type { Importer } from "@ggsl/compiler/source/importer.js";
import { checkNames, type OptionNames } from "@ggsl/compiler/core/optionNames.js";
import { checkPipeline, checkSource, chooseChain, compileChain } from "@ggsl/compiler/driver.js";
import type { SourceFile } from "@ggsl/compiler/source/source.js";
import { flatten } from "./flatten.js";
import { toLlama, type LlamaExport } from "./llama.js";

export { shellText, toFlags, toRequest } from "./write.js";
export type { LlamaExport } from "./llama.js";

/** The tools that a chain can be exported to. */
export const TARGETS = ["llama.cpp"] as const;

/** A chain without an equivalent in another tool; `reasons` names every stage that prevents it. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  readonly code = "NO_EQUIVALENT";
  constructor(readonly reasons: readonly string[]) {
    super(`llama.cpp has no equivalent for this chain:\n${reasons.map((reason) => `  ${reason}`).join("\n")}`);
  }
}

/** A program, or a pipeline of standard samplers as `-e` gives it. */
export type ExportSource = SourceFile & { readonly isPipeline?: true };

export interface ExportOptions {
  readonly chain?: string | undefined;
  readonly importer?: Importer | undefined;
  /** Values of the chain's parameters; omitted ones have their defaults. */
  readonly set?: Settings | undefined;
}

const NAMES: OptionNames<ExportOptions> = { chain: true, importer: true, set: true };

/** llama.cpp's settings for a chain. Throws a `CompileError` for a program with errors, an `ExportError` for a chain without an equivalent. */
export function exportLlama(source: ExportSource, options: ExportOptions = {}): LlamaExport {
  checkNames(options, NAMES);
  const { chain: name, importer, set = {} } = options;
  const { program, diagnostics } = (source.isPipeline ? checkPipeline : checkSource)(
    source,
    importer ? { importer } : {},
  );
  if (!program) throw compileError(diagnostics);
  const chain = chooseChain(program, name);
  if ("code" in chain) throw compileError([...diagnostics, chain]);
  // finds errors that depend on the values in `set`
  const { graph, diagnostics: more } = compileChain(program, chain, { set });
  if (!graph) throw compileError([...diagnostics, ...more]);
  const made = toLlama(flatten(program.main, chain, set));
  if ("reasons" in made) throw new ExportError(made.reasons);
  return made;
}

/** Chains as settings of other tools: `ggsl export`. */
import { check } from "@ggsl/compiler/check/check.js";
import { chainNotNamed, unknownChain } from "@ggsl/compiler/check/diagnostics/names.js";
import { compileError } from "@ggsl/compiler/check/format.js";
import type { Importer, Program } from "@ggsl/compiler/check/program.js";
import { compileProgram, graphOf } from "@ggsl/compiler/compile.js";
import type { Chain } from "@ggsl/compiler/syntax/ast.js";
import type { SourceFile } from "@ggsl/compiler/syntax/source.js";
import { flatten } from "./flatten.js";
import { toLlama, type LlamaExport } from "./llama.js";

export { shellText, toFlags, toRequest } from "./write.js";
export type { LlamaExport } from "./llama.js";

/** The tools that a chain is exported to. */
export const TARGETS = ["llama.cpp"] as const;

/** A chain that another tool has no equal for; `reasons` names every stage that is in the way. */
export class ExportError extends Error {
  override readonly name = "ExportError";
  constructor(readonly reasons: readonly string[]) {
    super(`llama.cpp has no equal for this chain:\n${reasons.map((reason) => `  ${reason}`).join("\n")}`);
  }
}

export interface ExportOptions {
  readonly chain?: string;
  readonly importer?: Importer;
  /** Values of the chain's parameters; those not given have their defaults. */
  readonly set?: Readonly<Record<string, number>>;
}

/** llama.cpp's settings for a chain. Throws a `CompileError` for a program with errors, an `ExportError` where there are none. */
export function exportLlama(source: SourceFile, { chain: name, importer, set = {} }: ExportOptions = {}): LlamaExport {
  // compiling finds what only shows with the values that are set
  graphOf(
    compileProgram(source.text, {
      file: source.name,
      set,
      ...(name && { chain: name }),
      ...(importer && { importer }),
    }),
  );
  const { program, diagnostics } = check(source, importer);
  if (!program) throw compileError(diagnostics);
  const made = toLlama(flatten(program.main, chosen(program, source, name), set));
  if ("reasons" in made) throw new ExportError(made.reasons);
  return made;
}

function chosen({ main, chains }: Program, source: SourceFile, name: string | undefined): Chain {
  const start = { source, start: 0, end: 0 };
  const names = chains.map((c) => c.name.text);
  const found = name === undefined ? (chains.length === 1 ? chains[0] : undefined) : main.scope.get(name)?.declaration;
  if (found?.kind === "chain") return found;
  throw compileError([name === undefined ? chainNotNamed(start, names) : unknownChain(start, name, names)]);
}

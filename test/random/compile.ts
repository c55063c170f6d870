/** Compiles a program to graphs: checked once, lowered and optimized in several ways. */
import { isError, type Diagnostic } from "../../compiler/diagnostics/diagnostic.js";
import { compileError } from "../../compiler/check/format.js";
import type { Program as Checked } from "../../compiler/check/program.js";
import { ALL_OUTPUTS, checkSource, compileChain, type OutputName } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import type { Program } from "./program.js";

/** One way of compiling a program. */
export interface Build {
  readonly name: string;
  /** Names of optimizations that are off. */
  readonly disabled: readonly string[] | "all";
  readonly outputs: readonly OutputName[];
  /** Uniforms become constants, which fold and decide conditions. */
  readonly folds?: true;
}

export const OPTIMIZED: Build = { name: "optimized", disabled: [], outputs: ALL_OUTPUTS };
export const PLAIN: Build = { name: "not optimized", disabled: "all", outputs: ALL_OUTPUTS };
/** The output that generation reads. */
export const TOKEN: Build = { name: "token alone", disabled: [], outputs: ["sampled"] };
export const without = (pass: string): Build => ({ name: `without ${pass}`, disabled: [pass], outputs: ALL_OUTPUTS });

export const FOLDED: Build = { name: "uniforms folded", disabled: [], outputs: ALL_OUTPUTS, folds: true };

/** Whether folding must not change the result: `known` and the row orders of the standard library depend on constants. */
export const mayFold = ({ text }: Program): boolean => !/\bknown\(|^import /.test(text);

/** A limit that a valid program may exceed. */
export class Refused extends Error {
  override readonly name = "Refused";
}

/**
 * What depends on the values of constants, which the generator does not know: a remainder by 0 that is not an integer, an infinite
 * logit, a count beyond the largest table, a uniform expression or a graph that is too large.
 */
const LIMIT_CODES: readonly string[] = ["E0313", "E0508", "E0320", "E0321", "E0701"];

/** The checked program, and a function that compiles each graph. Throws the checker's errors: a rejected random program is a bug. */
export function compileIn(program: Program): { readonly checked: Checked; readonly graph: (build: Build) => Graph } {
  const { program: checked, diagnostics } = checkSource({ name: "random.ggsl", text: program.text });
  failOn(diagnostics);
  const chain = checked!.chains.find((c) => c.name.text === "main")!;
  const known = new Map<Build, Graph>();
  const make = ({ disabled, outputs, folds }: Build): Graph => {
    const { graph, diagnostics: found } = compileChain(
      checked!,
      // a set that changes from token to token is not folded
      folds
        ? { ...chain, params: chain.params.map((p) => ({ ...p, isStatic: p.isStatic || p.type !== "tokens" })) }
        : chain,
      {
        set: folds ? { ...program.set, ...program.uniforms } : program.set,
        outputs,
        ...(disabled === "all" ? { optimize: false } : { disable: disabled }),
      },
    );
    failOn(found);
    return graph!;
  };
  const graphOf = (build: Build): Graph => {
    const graph = known.get(build) ?? make(build);
    known.set(build, graph);
    return graph;
  };
  return { checked: checked!, graph: graphOf };
}

function failOn(diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(isError);
  if (errors.length === 0) return;
  const isLimit = errors.every(({ code }) => LIMIT_CODES.includes(code));
  if (isLimit) throw new Refused(errors[0]!.message);
  throw compileError(errors);
}

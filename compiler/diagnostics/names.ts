/** E02xx: names, imports and declarations. */
import type { Span } from "../source/source.js";
import type { RefusedImport } from "../source/importer.js";
import { error, type Diagnostic, type Extra } from "./diagnostic.js";
import { foreign, FUNCTIONS, NAMES, STAGES, type ForeignTable } from "./foreign.js";
import { suggest } from "../core/suggest.js";

/** The nearest known name as help and as fix. */
export const didYouMean = (span: Span, name: string, candidates: Iterable<string>): Pick<Extra, "help" | "fix"> => {
  const best = suggest(name, candidates);
  return best === undefined ? {} : { help: `did you mean \`${best}\`?`, fix: { kind: "replace", span, text: best } };
};

/** What a word of another language is here, or the nearest known name. */
const meantBy = (
  table: ForeignTable,
  span: Span,
  name: string,
  candidates: Iterable<string>,
): Pick<Extra, "help" | "fix"> => {
  const known = foreign(table, name);
  if (!known) return didYouMean(span, name, candidates);
  const { help, text } = known;
  return { help, ...(text !== undefined && { fix: { kind: "replace", span, text } }) };
};

export const unknownName = (span: Span, name: string, candidates: Iterable<string>): Diagnostic =>
  error("E0201", span, `unknown name \`${name}\``, {
    label: "not a column, a parameter, a `let` or a constant",
    ...meantBy(NAMES, span, name, candidates),
  });

export function unknownStage(span: Span, name: string, candidates: Iterable<string>, isInStd: boolean): Diagnostic {
  const help: Extra = isInStd
    ? { help: `add \`import { ${name} } from "std"\``, fix: { kind: "import", name } }
    : meantBy(STAGES, span, name, candidates);
  return error("E0202", span, `unknown sampler \`${name}\``, {
    label: "no sampler or chain in scope has this name",
    ...help,
  });
}

export const unknownTailStage = (span: Span, name: string, candidates: readonly string[]): Diagnostic =>
  error("E0219", span, `there is no tail stage \`${name}\``, {
    help: `available tail stages: ${candidates.join(", ")}`,
    ...didYouMean(span, name, candidates),
  });

/** A sampler or a chain is called as a function. */
export const stageAsFunction = (span: Span, name: string): Diagnostic =>
  error("E0226", span, `\`${name}\` is a stage of a chain, not a function`, {
    help: `join stages with \`|>\`, as in \`chain c = ${name}(...) |> ...\``,
  });

export const unknownFunction = (span: Span, name: string, candidates: Iterable<string>): Diagnostic =>
  error("E0203", span, `unknown function \`${name}\``, meantBy(FUNCTIONS, span, name, candidates));

export const unknownInFile = (span: Span, name: string, file: string, candidates: Iterable<string>): Diagnostic =>
  error("E0204", span, `\`${name}\` is not declared in "${file}"`, didYouMean(span, name, candidates));

export const missingFile = (span: Span, path: string): Diagnostic =>
  error("E0205", span, `the file "${path}" cannot be read`, {
    help: 'a path is relative to this file, as in "./samplers.ggsl"; the standard library is "std"',
  });

export const missingPackage = (span: Span, path: string, name: string): Diagnostic =>
  error("E0227", span, `the package "${name}" cannot be found`, {
    help: `install it with \`npm install ${name}\`, in this file's folder or one above it; a file is "./${path}"`,
  });

export const refusedFile = (span: Span, path: string, { refused, help }: RefusedImport): Diagnostic =>
  error("E0225", span, `the import of "${path}" is refused: ${refused}`, help === undefined ? {} : { help });

export const importCycle = (span: Span, path: readonly string[]): Diagnostic =>
  error("E0206", span, `circular import: ${path.join(" -> ")}`, {
    help: "move the shared declarations into a third file",
  });

export const declaredTwice = (span: Span, name: string, first: Span): Diagnostic =>
  error("E0207", span, `\`${name}\` is declared twice`, { notes: [{ message: "first declared here", span: first }] });

export const shadowsBuiltin = (span: Span, name: string, what: string): Diagnostic =>
  error("E0208", span, `\`${name}\` is the name of a built-in ${what}`, { help: "choose another name" });

export const containsItself = (span: Span, chain: string, stage: string): Diagnostic =>
  error("E0209", span, `the chain \`${chain}\` contains itself`, {
    label: chain === stage ? "a chain cannot be its own stage" : `\`${stage}\` leads back to a chain that contains it`,
  });

export const notAStage = (span: Span, name: string, what: string): Diagnostic =>
  error("E0211", span, `\`${name}\` is ${what}, not a sampler`, {
    label: "a stage of a chain is a sampler or a chain",
  });

export const notAValue = (span: Span, name: string, isFunction: boolean): Diagnostic =>
  error("E0212", span, `\`${name}\` is not a number`, {
    help: isFunction
      ? `call it, as in \`${name}(...)\``
      : `samplers are stages of a chain: \`chain c = ${name}() |> ...\``,
  });

export const unknownChain = (span: Span, name: string, chains: readonly string[]): Diagnostic =>
  error("E0213", span, `there is no chain \`${name}\``, {
    help: chains.length > 0 ? `available chains: ${chains.join(", ")}` : "declare one: `chain c = top_k(40) |> dist()`",
  });

export const chainNotNamed = (span: Span, chains: readonly string[]): Diagnostic =>
  chains.length === 0
    ? error("E0214", span, "the file declares no chain", { help: "declare one: `chain c = top_k(40) |> dist()`" })
    : error("E0215", span, "the file declares several chains", { help: `name one of ${chains.join(", ")}` });

export const constantCycle = (span: Span, path: readonly string[]): Diagnostic =>
  error(
    "E0216",
    span,
    `the constant \`${path[0]}\` depends on itself`,
    path.length > 2 ? { label: path.join(" -> ") } : {},
  );

export const constantTooDeep = (span: Span, limit: number): Diagnostic =>
  error("E0217", span, `more than ${limit} constants in a row depend on each other`);

export const chainTooLong = (span: Span, name: string, stages: number, depth: number): Diagnostic =>
  error("E0218", span, `the chain \`${name}\` is too large`, {
    label: `at most ${stages} stages (the limit \`stages\`), and chains nested at most ${depth} deep`,
  });

/** E04xx: parameters, arguments and settings. */
import { SEED_RANGE } from "../graph/param.js";
import type { Span } from "../source/source.js";
import { error, type Diagnostic } from "./diagnostic.js";
import { didYouMean } from "./names.js";

/** A seed that a static parameter gives. */
export const seedOutOfRange = (span: Span, found: number): Diagnostic =>
  error("E0415", span, `a seed must be ${SEED_RANGE}, found ${found}`);

/** `meant` is the value that replaces it, if one is likely. */
export const outOfRange = (
  span: Span,
  name: string,
  range: string,
  found: string,
  { declared, meant }: { readonly declared?: Span | undefined; readonly meant?: number | undefined } = {},
): Diagnostic =>
  error("E0401", span, `\`${name}\` must be ${range}, found ${found}`, {
    ...(declared && { notes: [{ message: "the range is declared here", span: declared }] }),
    ...(meant !== undefined && {
      help: `did you mean ${meant}?`,
      fix: { kind: "replace", span, text: String(meant) },
    }),
  });

export function unknownArgument(span: Span, name: string, callee: string, params: readonly string[]): Diagnostic {
  const known = params.length > 0 ? `its parameters: ${params.join(", ")}` : "it has no parameters";
  return error("E0402", span, `\`${callee}\` has no parameter \`${name}\``, {
    help: known,
    ...didYouMean(span, name, params),
  });
}

export const tooManyArguments = (span: Span, callee: string, expected: number, found: number): Diagnostic =>
  error(
    "E0403",
    span,
    `\`${callee}\` takes ${expected === 0 ? "no" : `at most ${expected}`} argument${expected === 1 ? "" : "s"}, found ${found}`,
  );

export const missingArgument = (span: Span, callee: string, name: string): Diagnostic =>
  error("E0404", span, `\`${callee}\` needs \`${name}\`, which has no default`);

export const givenTwice = (span: Span, name: string): Diagnostic => error("E0405", span, `\`${name}\` is given twice`);

export const positionalAfterNamed = (span: Span): Diagnostic =>
  error("E0406", span, "a positional argument follows a named one", {
    help: "name it, or move it to the front",
  });

export const emptyRange = (span: Span, min: number, max: number): Diagnostic =>
  error("E0407", span, `the range is empty: ${min} is above ${max}`);

export const unknownSetting = (span: Span, name: string, params: readonly string[]): Diagnostic =>
  error("E0409", span, `the chain has no parameter \`${name}\``, {
    help: params.length > 0 ? `its parameters: ${params.join(", ")}` : "it has no parameters",
  });

export const missingStatic = (span: Span, name: string): Diagnostic =>
  error("E0410", span, `the static parameter \`${name}\` has no value`, {
    help: `set it, with \`--set ${name}=VALUE\` on the command line, or give it a default`,
  });

/** `meant` is the value that was likely meant. */
export const setOutOfRange = (span: Span, name: string, range: string, found: number, meant?: number): Diagnostic =>
  error("E0411", span, `\`${name}\` must be ${range}, but is set to ${found}`, {
    ...(meant !== undefined && { help: `did you mean ${meant}?` }),
  });

/** A value of a type, in words. */
export const ofType = (type: string): string => (type === "tokens" ? "a set of tokens" : `a ${type}`);

export const rangeOnType = (span: Span, type: string): Diagnostic =>
  error("E0412", span, `${ofType(type)} has no range`, { help: "only f32 and i32 parameters take one" });

export const randomIsForSeeds = (span: Span): Diagnostic =>
  error("E0413", span, "`random` is for parameters of type `seed`");

export const textIsStatic = (span: Span, name: string, type: string): Diagnostic =>
  error("E0414", span, `a ${type} parameter must be static`, {
    help: "mark the parameter `static`",
    fix: { kind: "static", params: [name] },
  });

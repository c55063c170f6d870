/** What readers of a page can try: the program of a block of code, or a standard sampler, as a link of the playground. */
import { compileError } from "@ggsl/compiler/check/format.js";
import { checkSource } from "@ggsl/compiler/driver.js";
import { STD_SAMPLERS, type StdSampler } from "@ggsl/compiler/std/samplers.js";
import type { Expr, Param, Test, TestClause } from "@ggsl/compiler/syntax/ast.js";
import { parse } from "@ggsl/compiler/syntax/parse.js";
import { textAt } from "@ggsl/compiler/source/source.js";
import { print } from "@ggsl/format";
import { writeLink, type Shared } from "../playground/state/link.js";
import type { LogitSource } from "../playground/state/source.js";
import { exampleArg } from "../tools/lib/stdExample.js";

/** Numbers without a model: like the frequencies of words. */
const ZIPF: LogitSource = { kind: "shape", shape: "zipf", size: 500 };
/** The demo model's, for what asks about texts of tokens. */
const MODEL: LogitSource = { kind: "model", prompt: "In the beginning" };

const linkOf = (shared: Pick<Shared, "program" | "source" | "vocabulary">): string =>
  writeLink({ ...shared, uniforms: {}, statics: {}, seed: 42 });

// ---------------------------------------------------------------- standard samplers

/** Types whose values the playground has a slider or a field for. */
const SETTABLE: readonly Param["type"][] = ["f32", "i32", "bool", "seed"];

/** A program that runs a standard sampler as in its example, with a parameter of the chain for each of its own that can change. */
function programOf(sampler: StdSampler): string {
  const { name, picks, declaration } = sampler;
  const settable = declaration.params.filter((p) => SETTABLE.includes(p.type));
  const params = settable.map((p) => {
    const { source, start, end } = p.span;
    // the last `=` is that of the default
    const declared = source.text.slice(start, p.default?.span.start ?? end).replace(p.default ? /\s*=\s*$/ : "", "");
    return `${declared} = ${exampleArg(sampler, p) ?? textAt(p.default!.span)}`;
  });
  const args = declaration.params.flatMap((p) => {
    if (settable.includes(p)) return [`${p.name.text}: ${p.name.text}`];
    const value = exampleArg(sampler, p);
    return value === undefined ? [] : [`${p.name.text}: ${value}`];
  });
  const names = [name, ...(picks ? [] : ["dist"])];
  const chain = `chain tried(${params.join(", ")}) = ${name}(${args.join(", ")})${picks ? "" : " |> dist"}`;
  const text = `import { ${names.join(", ")} } from "std"\n\n${chain}\n`;
  const printed = print({ name: "try.ggsl", text });
  if ("diagnostics" in printed) throw compileError(printed.diagnostics);
  return printed.text;
}

/** The link for a sampler of the standard library. */
export function trySampler(name: string): string {
  const sampler = STD_SAMPLERS.find((s) => s.name === name);
  if (!sampler) throw new Error(`the standard library has no sampler \`${name}\``);
  const needsTexts = sampler.takesGrammar || sampler.example.includes('"');
  return linkOf({ program: programOf(sampler), source: needsTexts ? MODEL : ZIPF });
}

// ---------------------------------------------------------------- blocks of code

/**
 * The link for a program. One without a chain gets the stages of a test, with the test's numbers and vocabulary as the input. Those
 * are the input of one with a chain, too, if there is a vocabulary.
 * Undefined if there is nothing to run, or if it reads a column that only a caller can give.
 */
export function tryProgram(text: string): string | undefined {
  const source = { name: "program.ggsl", text };
  // a part of a program, or one that imports files of its reader
  if (!checkSource(source).program) return undefined;
  const { declarations } = parse(source).file;
  const columns = declarations.flatMap((d) => (d.kind === "input" && d.type !== "logits" ? [d.name.text] : []));
  const hasChain = declarations.some(({ kind }) => kind === "chain");
  if (hasChain && columns.length > 0) return undefined;
  const tests = declarations.filter(
    (d): d is Test => d.kind === "test" && !d.clauses.some((c) => c.kind === "input" && columns.includes(c.name.text)),
  );
  // links have no text so far
  const test = tests.find((t) => !PAST.some((kind) => clause(t, kind))) ?? tests[0];
  if (hasChain) return linkOf({ program: text, ...(test && clause(test, "vocab") ? inputOf(test) : { source: ZIPF }) });
  const run = test && clause(test, "run");
  if (!run) return undefined;
  const stages = run.stages.map(({ span }) => textAt(span)).join(" |> ");
  return linkOf({ program: `${text.trimEnd()}\n\nchain tried = ${stages}\n`, ...inputOf(test) });
}

/** Clauses about the text so far. */
const PAST = ["history", "text", "accept"] as const;

type Clause<Kind> = Extract<TestClause, { kind: Kind }>;
const clause = <Kind extends TestClause["kind"]>({ clauses }: Test, kind: Kind): Clause<Kind> | undefined =>
  clauses.find((c): c is Clause<Kind> => c.kind === kind);

/** The numbers of a test, of its first step if each has its own, and its vocabulary. */
function inputOf(test: Test): Pick<Shared, "source" | "vocabulary"> {
  const row = clause(test, "logits") ?? clause(test, "probs");
  if (!row) return { source: ZIPF };
  const [first] = row.values;
  const numbers: readonly Expr[] = first?.kind === "list" ? first.values : row.values;
  const text = numbers.map(({ span }) => textAt(span)).join(", ");
  const texts = clause(test, "vocab")?.values.map((value) =>
    value.kind === "string" ? value.value : textAt(value.span),
  );
  return { source: { kind: "list", text, are: row.kind }, ...(texts && { vocabulary: JSON.stringify(texts) }) };
}

/** Reads the file of a standard sampler, whose form README.md describes; all lists of samplers derive from these files. */
import type { Chain, Declaration, Sampler } from "../syntax/ast.js";
import { parse } from "../syntax/parse.js";
import { lineColumn, textAt } from "../source/source.js";
import { writeTree } from "../syntax/stored.js";

/** The parts of a file that the library keeps. */
export interface StdEntry {
  /** The text before the example and the tests. */
  readonly text: string;
  /** The syntax tree of `text`. */
  readonly tree: string;
  /** A typical call that has an effect, e.g. `typical(0.95)`. */
  readonly example: string;
}

/** The parts of a standard sampler's doc comment, each on one line. */
export interface StdDoc {
  readonly doc: string;
  /** The papers and programs that the sampler is taken from. */
  readonly from: string;
  /** The equivalent sampler of llama.cpp. */
  readonly peer?: string;
}

/** Reads a file of the library. Throws an `Error` for a file of another form. */
export function stdEntry(name: string, text: string): StdEntry {
  const { file, diagnostics } = parse({ name: `std/${name}.ggsl`, text });
  const [fault] = diagnostics;
  if (fault) throw new Error(`line ${lineColumn(fault.span.source, fault.span.start).line}: ${fault.message}`);
  const { declarations } = file;
  readDoc(samplerIn(declarations, name));
  const at = declarations.findIndex(isExampleOf(name));
  // tests may import samplers, such as one that picks
  const isMisplaced = (d: Declaration, i: number): boolean =>
    i < at ? d.kind === "test" : i > at && d.kind !== "test" && d.kind !== "import";
  if (at < 0 || declarations.some(isMisplaced))
    throw new Error(`expected \`chain example() = ${name}(...)\` after the sampler, and the tests after the chain`);
  const { span, stages } = declarations[at] as Chain;
  // the omitted part comes last, so line numbers do not change
  return {
    text: text.slice(0, span.start),
    tree: writeTree(declarations.slice(0, at)),
    example: textAt(stages[0]!.span),
  };
}

/** The sampler of a name. Throws an `Error` if there is none. */
export function samplerIn(declarations: readonly Declaration[], name: string): Sampler {
  const sampler = declarations.find((d) => d.kind === "sampler" && d.name.text === name);
  if (!sampler) throw new Error(`expected the sampler \`${name}\``);
  return sampler as Sampler;
}

/** Reads a sampler's doc comment. Throws an `Error` if it names no source. */
export function readDoc({ name, doc = "" }: Sampler): StdDoc {
  const [, meaning, from] = /^([^]+?)^Source: ([^]+)$/m.exec(doc) ?? [];
  if (!meaning || !from) throw new Error(`expected a doc comment of \`${name.text}\` that ends with \`Source: ...\``);
  const peer = /\bllama_sampler_init_(\w+)/.exec(from)?.[1];
  return { doc: oneLine(meaning), from: oneLine(from), ...(peer !== undefined && { peer }) };
}

const isExampleOf =
  (name: string) =>
  (d: Declaration): boolean =>
    d.kind === "chain" &&
    d.name.text === "example" &&
    d.params.length === 0 &&
    d.stages.length === 1 &&
    d.stages[0]!.name.text === name &&
    !d.stages[0]!.isHost;

const oneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Times of masks, over texts that the engine and XGrammar both allow. */
import { join } from "node:path";
import { loadBinding } from "ggsl/backends/native/loader.js";
import { hasBit } from "ggsl/grammars/bits.js";
import { openGrammar } from "ggsl/grammars/open.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { vocabularyOf } from "ggsl/sequence/features/model.js";
import type { Vocabulary } from "ggsl/core/vocabulary.js";
import { ROOT } from "../tool.js";
import type { Case } from "./cases.js";
import { XGrammar, XGrammarError, type XGrammarCompiled } from "./xgrammar.js";

interface OpenVocabulary {
  readonly vocabulary: Vocabulary;
  readonly xgrammar: XGrammar;
  /** Tokens that are not compared: control tokens, and texts that are no whole characters. */
  readonly others: ReadonlySet<number>;
  readonly blanks: ReadonlySet<number>;
  /** Tokens with a carriage return, which XGrammar has not among the blanks of JSON. */
  readonly returns: ReadonlySet<number>;
}

const BLANK = /^[ \t\n\r]+$/;

/** One of llama.cpp's. */
export async function openVocabulary(name: string): Promise<OpenVocabulary> {
  const path = join(ROOT, "build", "llama.cpp", "models", `ggml-vocab-${name}.gguf`);
  const vocabulary = vocabularyOf(await loadBinding().loadModel(path, { gpuLayers: 0, vocabOnly: true }));
  const decoder = new TextDecoder();
  const tokensWith = (is: (text: string) => boolean): number[] =>
    vocabulary.texts!.flatMap((text, token) => (is(text) ? [token] : []));
  const partial = tokensWith(
    (text) => text.startsWith("\0") || decoder.decode(Buffer.from(text, "latin1")).includes("\ufffd"),
  );
  // so that no grammar's time has the vocabulary's
  openGrammar({ choices: ["a"] }, { vocabulary, now: true });
  return {
    vocabulary,
    xgrammar: new XGrammar(vocabulary),
    others: new Set([...vocabulary.classes!.control, ...partial]),
    blanks: new Set(tokensWith((text) => BLANK.test(text))),
    returns: new Set(tokensWith((text) => text.includes("\r"))),
  };
}

export interface Measured {
  /** Tokens that one of both allows. */
  readonly differences: number;
  /** Milliseconds, with the first mask. Absent where XGrammar refuses. */
  readonly prepared: { readonly ours: number; readonly theirs: number | undefined };
  /** Milliseconds of each mask after the first of a text. */
  readonly masks: { readonly ours: number[]; readonly theirs: number[] };
}

function timed<T>(into: number[], work: () => T): T {
  const start = performance.now();
  const result = work();
  into.push(performance.now() - start);
  return result;
}

const PARTS = /"(?:\\.|[^"\\])*"|\[(?:\\.|[^\]\\])*\]|#.*|\./g;

/** GBNF with an empty alternative and any character as XGrammar writes these. */
const asEbnf = (gbnf: string): string =>
  gbnf.replace(/::=\s*\|/g, '::= "" |').replace(PARTS, (part) => (part === "." ? "[^\\0]" : part));

/** Undefined for what XGrammar refuses. */
async function compiledByXgrammar(xgrammar: XGrammar, source: Case["source"]): Promise<XGrammarCompiled | undefined> {
  try {
    return await xgrammar.compile("gbnf" in source ? { ebnf: asEbnf(source.gbnf) } : source);
  } catch (error) {
    if (error instanceof XGrammarError) return undefined;
    throw error;
  }
}

export async function measured(
  { vocabulary, xgrammar, others, blanks, returns }: OpenVocabulary,
  source: Case["source"],
  { texts, tokens }: { readonly texts: number; readonly tokens: number },
): Promise<Measured> {
  const random = randomIntegers(7);
  const masks = { ours: [] as number[], theirs: [] as number[] };
  const first: number[] = [];
  const start = timed(first, () => {
    const state = openGrammar(ours(source), { vocabulary, now: true });
    state.bits();
    return state;
  });
  await xgrammar.ready();
  const before = performance.now();
  const compiled = await compiledByXgrammar(xgrammar, source);
  compiled?.begin().bits();
  const prepared = { ours: first[0]!, theirs: compiled && performance.now() - before };
  const ends = new Set(vocabulary.classes!.end);
  const isCompared = (token: number): boolean => !others.has(token) && ("gbnf" in source || !returns.has(token));
  let differences = 0;
  // one grammar for all texts, as in a server
  for (let i = 0; i < texts; i++) {
    let state = start;
    const theirs = compiled?.begin();
    for (let n = 0; n < tokens; n++) {
      const a = timed(n === 0 ? [] : masks.ours, () => state.bits());
      const b = theirs ? timed(n === 0 ? [] : masks.theirs, () => theirs.bits()) : a;
      const both: number[] = [];
      for (let token = 0; token < 32 * a.length; token++) {
        if (hasBit(a, token) !== hasBit(b, token) && isCompared(token)) differences++;
        if (hasBit(a, token) && hasBit(b, token) && !ends.has(token)) both.push(token);
      }
      const marks = both.filter((token) => !blanks.has(token));
      const from = marks.length > 0 && random(4) > 0 ? marks : both;
      if (from.length === 0) break;
      const token = from[random(from.length)]!;
      state = state.accept(token);
      theirs?.accept(token);
    }
    theirs?.delete();
  }
  compiled?.delete();
  return { differences, prepared, masks };
}

/** XGrammar's default is any blanks between the parts of JSON. */
const ours = (source: Case["source"]): GrammarSource => ("gbnf" in source ? source : { ...source, whitespace: "any" });

/** Random integers below n, the same for the same seed. */
function randomIntegers(seed: number): (n: number) => number {
  let state = seed >>> 0;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** Documentation comments of a module: the program's own, and facts that types cannot express. */
import type { ModuleChain, ModuleGrammar, ModulePhrases, ModuleInput, ModuleSet, ModuleUniform } from "./chains.js";
import { SEED_RANGE } from "@ggsl/compiler/graph/param.js";
import { describeRange } from "@ggsl/compiler/core/range.js";

/** Escapes a text so that it does not end its comment. */
const inComment = (text: string): string => text.replace(/\*\//g, "*\\/");

const paragraphs = (...parts: readonly (string | undefined)[]): string =>
  inComment(parts.filter((p) => p !== undefined && p !== "").join("\n\n"));

const code = (text: string): string => `\`${text}\``;

/** `a number in [0, 1]`; without a range, any number. */
function valueText({ type, range }: ModuleUniform): string {
  if (type === "bool") return "true or false";
  if (type === "seed") return `a seed, ${SEED_RANGE}`;
  const isAny = range.min === undefined && range.max === undefined;
  return `${type === "i32" ? "an integer" : "a number"}${isAny ? "" : ` ${describeRange(range)}`}`;
}

function defaultText({ type, default: value }: ModuleUniform): string {
  if (value === "random") return "a new one for each sequence";
  return type === "bool" ? String(value === 1) : String(value);
}

export function uniformDoc(uniform: ModuleUniform): string {
  const value = valueText(uniform);
  const said = `${value[0]!.toUpperCase()}${value.slice(1)}; ${defaultText(uniform)} unless set.`;
  const { stages } = uniform;
  return paragraphs(uniform.doc, `${said}${stages.length > 0 ? ` In ${stages.map(code).join(", ")}.` : ""}`);
}

export function setDoc({ capacity, stages, doc }: ModuleSet): string {
  const said = `A set of at most ${capacity} tokens: ids, and texts that are one token each.`;
  return paragraphs(doc, `${said}${stages.length > 0 ? ` In ${stages.map(code).join(", ")}.` : ""}`);
}

export function phrasesDoc({ stages, doc }: ModulePhrases): string {
  const said = "Phrases that must not be written: texts and regular expressions.";
  return paragraphs(doc, `${said}${stages.length > 0 ? ` In ${stages.map(code).join(", ")}.` : ""}`);
}

export function grammarDoc({ doc, isOptional, stages }: ModuleGrammar): string {
  const said = `A grammar; ${isOptional ? "without it, the program's own holds" : "each request must give it"}.`;
  return paragraphs(doc, `${said}${stages.length > 0 ? ` In ${stages.map(code).join(", ")}.` : ""}`);
}

export function inputDoc({ doc, sparse, tokens }: ModuleInput): string {
  if (tokens !== undefined) return paragraphs(doc, `A text: at most ${tokens} token ids.`);
  const form = sparse
    ? `Numbers for ${sparse.capacity === "V" ? "any tokens" : `at most ${sparse.capacity} tokens`}, by token; ${sparse.fill} for the others.`
    : "A number for each token of the vocabulary.";
  return paragraphs(doc, form);
}

export const guideDoc = ({ doc }: ModuleInput): string =>
  paragraphs(doc, "Another sequence of the same batch, whose logits the chain reads.");

/** `exported` is the chain's name in the module. The program's documentation comes last, because it may end with tags. */
export const chainDoc = ({ name, doc }: ModuleChain, exported: string): string =>
  paragraphs(exported === name ? undefined : `The chain ${code(name)}, a name that a module cannot declare.`, doc) ||
  `The chain ${code(name)}.`;

export const interfaceDocs = {
  uniforms: (name: string): string => `Uniforms of the chain ${code(name)}. Each may be set before every token.`,
  inputs: (name: string): string => `Inputs of the chain ${code(name)}, which the calling program gives it.`,
  measures: (name: string): string => `Numbers that the chain ${code(name)} reports with each token.`,
  stops: (name: string): string => `What can end a text of the chain ${code(name)}: \`stoppedBy\` of its statistics.`,
  guides: (name: string): string => `The other sequences whose logits the chain ${code(name)} reads.`,
  states: (name: string): string => `Numbers that a sequence of the chain ${code(name)} remembers from token to token.`,
  types: (name: string): string => `What the chain ${code(name)} takes and remembers.`,
} as const;

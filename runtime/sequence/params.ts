/** Values of a chain's parameters: what is given is checked, and rounded as devices do. */
import { fractionMeant } from "@ggsl/compiler/core/range.js";
import { suggest } from "@ggsl/compiler/core/suggest.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import type { Graph, Param } from "@ggsl/compiler/graph/graph.js";
import { expectedValue } from "@ggsl/compiler/graph/param.js";
import { setsOf } from "@ggsl/compiler/graph/sets.js";
import { invalid } from "../core/errors.js";
import type { GrammarSource } from "../grammars/types.js";
import type { TokenList } from "./features/sets.js";
import type { Phrase } from "./phrases/phrases.js";
import { isPhraseName } from "./phrases/values.js";

/**
 * Values of a chain's parameters by name. A parameter that is omitted or undefined keeps its value, at first its default. A set of
 * tokens is a list of ids, and of texts that are one token each. A grammar begins at the next token. Phrases are looked for from the next
 * token on.
 */
export type UniformValues = Readonly<
  Record<string, number | boolean | TokenList | readonly Phrase[] | GrammarSource | undefined>
>;

export const randomSeed = (): number => crypto.getRandomValues(new Uint32Array(1))[0]!;
const initial = (p: Param): number => (p.default === "random" ? randomSeed() : rounded(p, p.default));

/** The values of parameters that nobody has set. */
export const initialParams = ({ params }: Graph): Map<string, number> =>
  new Map(params.map((p) => [p.name, initial(p)]));

/** Parameters are f32 on every device, so uniform expressions use the rounded value too. */
const rounded = (p: Param, value: number): number => (p.type === "seed" ? value : Math.fround(value));

export function setParams(
  present: ReadonlyMap<string, number>,
  graph: Graph,
  values: UniformValues,
): Map<string, number> {
  const result = new Map(present);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    if ([...setsOf(graph), ...grammarsOf(graph)].some((other) => other.name === name)) continue;
    // phrases are sets
    const param = graph.params.find((p) => p.name === name);
    if (param && typeof value === "object")
      throw invalid(
        Array.isArray(value)
          ? `\`${name}\` is not a set of tokens, found a list`
          : `\`${name}\` is not a grammar, found an object`,
      );
    if (!param) throw invalid(unknownUniform(name, graph));
    result.set(name, rounded(param, checked(param, Number(value))));
  }
  return result;
}

/** The values that are sets of tokens. */
export function setValues(graph: Graph, values: UniformValues): Map<string, TokenList> {
  const lists = new Map<string, TokenList>();
  for (const { name } of setsOf(graph)) {
    if (name === undefined || !Object.hasOwn(values, name) || isPhraseName(graph, name)) continue;
    const list = values[name];
    if (list === undefined) continue;
    if (!isTokenList(list))
      throw invalid(
        `\`${name}\` is a set of tokens: expected a list of token ids and texts, found ${Array.isArray(list) ? "a list of others" : typeof list === "object" ? "an object" : list}`,
      );
    lists.set(name, list);
  }
  return lists;
}

const isTokenList = (value: UniformValues[string]): value is TokenList =>
  Array.isArray(value) && value.every((item) => typeof item !== "object");

function unknownUniform(name: string, graph: Graph): string {
  const names = [...graph.params, ...setsOf(graph), ...grammarsOf(graph)].flatMap((p) => p.name ?? []);
  const meant = suggest(name, names);
  const listed = names.map((own) => `\`${own}\``).join(", ");
  const all = names.length > 0 ? `its uniforms are ${listed}` : "it has no uniforms";
  const known = meant === undefined ? all : `did you mean \`${meant}\`? ${all}`;
  return `the chain \`${graph.name}\` has no uniform \`${name}\`: ${known}`;
}

function checked(param: Param, value: number): number {
  const expected = expectedValue(param, value);
  if (expected !== undefined) {
    const meant = fractionMeant(param.range, value);
    const help = meant === undefined ? "" : `; did you mean ${meant}?`;
    throw invalid(`\`${param.name}\` must be ${expected}, found ${value}${help}`);
  }
  return value;
}

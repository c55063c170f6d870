/** The grammars of a sequence: those of the program, and those that are given with the request. */
import type { Graph, GrammarRef } from "@ggsl/compiler/graph/graph.js";
import { namesIn } from "@ggsl/compiler/graph/rules.js";
import { grammarsOf } from "@ggsl/compiler/graph/grammars.js";
import type * as is from "../../core/check.js";
import { InputError } from "../../core/errors.js";
import { hasBit } from "../../grammars/bits.js";
import { openGrammar } from "../../grammars/open.js";
import { kindOf } from "../../grammars/kinds.js";
import type { GrammarSource, GrammarState } from "../../grammars/types.js";
import { vocabularyFrom, type GivenVocabulary } from "../../core/vocabulary.js";

/** What the grammars of a chain's parameters are given as, by the parameter's name. */
export type GrammarValues = ReadonlyMap<string, GrammarSource>;

/** What opens grammars: a model, or without one a vocabulary. */
interface Opener {
  readonly vocabulary?: GivenVocabulary | undefined;
  readonly openGrammar?: ((source: GrammarSource) => GrammarState) | undefined;
}

/** A grammar that a sequence follows. */
export interface OpenGrammar {
  readonly state: GrammarState;
  /** The tokens that it went on with since it began, the last one first. */
  readonly path?: Path;
}

interface Path {
  readonly token: number;
  readonly before: Path | undefined;
}

/** A grammar at its beginning. Without a model, this thread waits for the engine. */
export function startGrammar(graph: Graph, grammar: GrammarRef, values: GrammarValues, feed: Opener): OpenGrammar {
  const names = namesIn(graph, grammar);
  const given = typeof grammar === "string" ? { gbnf: grammar } : values.get(grammar.param)!;
  const source: GrammarSource = names.length === 0 ? given : { ...given, rules: names };
  if (feed.openGrammar) return { state: feed.openGrammar(source) };
  if (!feed.vocabulary)
    throw new InputError("a grammar needs a vocabulary: give `feed.vocabulary`, or a model", {
      code: "MISSING_VOCABULARY",
    });
  const vocabulary = vocabularyFrom(feed.vocabulary);
  return { state: openGrammar(source, { vocabulary, now: true }) };
}

/**
 * What a grammar does with a token: it goes on with one that it allows, and stays where it is at any other. It waits where the chain
 * does not ask it, and refuses a token that was picked although the chain asked it.
 */
export type GrammarMove = "goes on" | "waits" | "refuses";

/** What a grammar that is asked does with a token. Its position is ready. */
export const moveOf = ({ state }: OpenGrammar, token: number): GrammarMove =>
  hasBit(state.bits(), token) ? "goes on" : "refuses";

/** The same of several tokens in place of one; of none, it waits. */
export function moveOfAll(grammar: OpenGrammar, tokens: readonly number[]): GrammarMove {
  if (tokens.length === 0) return "waits";
  let at = grammar;
  for (const token of tokens) {
    if (!canAccept(at, token)) return "refuses";
    at = acceptGrammar(at, token);
  }
  return "goes on";
}

/** Whether a grammar goes on with a token, as far as it is known without its mask. */
export function canAccept({ state }: OpenGrammar, token: number): boolean {
  try {
    state.accept(token);
    return true;
  } catch (error) {
    if (error instanceof InputError && error.code === "INVALID_ARGUMENT") return false;
    throw error;
  }
}

/** After a token that the grammar allows. */
export const acceptGrammar = ({ state, path }: OpenGrammar, token: number): OpenGrammar => ({
  state: state.accept(token),
  path: { token, before: path },
});

/** The tokens that a grammar went on with since it began. */
export function tokensSince({ path }: OpenGrammar): number[] {
  const tokens: number[] = [];
  for (let at = path; at; at = at.before) tokens.push(at.token);
  return tokens.reverse();
}

/** A grammar after tokens of a saved sequence. */
export const afterTokens = (grammar: OpenGrammar, tokens: readonly number[]): OpenGrammar =>
  tokens.reduce(acceptGrammar, grammar);

/** The values that are grammars of the chain; those in `present` are kept unless they are set. */
export function grammarValues(
  graph: Graph,
  values: Readonly<Record<string, unknown>>,
  present: GrammarValues = new Map(),
): GrammarValues {
  const given = new Map<string, GrammarSource>();
  for (const { name, default: standard } of grammarsOf(graph)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    const source =
      value === undefined
        ? (present.get(name) ?? (standard === undefined ? undefined : { gbnf: standard }))
        : sourceOf(name, value);
    if (!source)
      throw new InputError(
        `the chain \`${graph.name}\` needs a grammar for \`${name}\`: give it with the request, as in \`uniforms: { ${name}: { jsonSchema: { type: "object" } } }\``,
        { code: "MISSING_GRAMMAR" },
      );
    given.set(name, source);
  }
  return given;
}

/** A grammar in one of its forms. */
export const grammarSource: is.Check = (value, name) => void sourceOf(name, value);

function sourceOf(name: string, value: unknown): GrammarSource {
  try {
    kindOf(value);
    return value as GrammarSource;
  } catch (error) {
    if (error instanceof InputError)
      throw new InputError(`\`${name}\`: ${error.message}`, { code: error.code, cause: error });
    throw error;
  }
}

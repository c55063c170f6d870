/** The grammars of a sequence's features from token to token. */
import type { Graph, UniformExpr } from "@ggsl/compiler/graph/graph.js";
import { grammarOf, type Feed, type OpenFeature } from "./feed.js";
import {
  acceptGrammar,
  afterTokens,
  canAccept,
  moveOf,
  moveOfAll,
  startGrammar,
  type GrammarMove,
  type GrammarValues,
} from "./grammars.js";

/** What to wait for before `featureInputs`; undefined if nothing. */
export function grammarsReady(features: readonly OpenFeature[]): Promise<unknown> | undefined {
  if (!features.some(hasGrammar)) return undefined;
  const waits = features.flatMap((f) => grammarOf(f)?.state.ready() ?? []);
  return waits.length > 0 ? Promise.all(waits) : undefined;
}

/** Frees what the engines hold for a text that is over. */
export const releaseGrammars = (features: readonly OpenFeature[]): void =>
  features.forEach((f) => grammarOf(f)?.state.release());

/**
 * The features after `token` is accepted.
 * @param read what grammars read in its place, if that is something else
 */
export const acceptFeatures = (
  features: readonly OpenFeature[],
  token: number,
  moves: readonly GrammarMove[],
  read?: readonly number[],
): readonly OpenFeature[] =>
  moves.includes("goes on")
    ? features.map((f, i) =>
        f.kind === "allowed" && moves[i] === "goes on"
          ? { ...f, grammar: read ? afterTokens(f.grammar!, read) : acceptGrammar(f.grammar!, token) }
          : f,
      )
    : features;

const hasGrammar = (open: OpenFeature): boolean => grammarOf(open) !== undefined;

const NO_MOVES: readonly GrammarMove[] = [];

/**
 * What each feature's grammar does with the next token; empty without grammars. The grammars are ready.
 * @param isAsked whether the expression that says when a grammar is asked holds for this token
 * @param read what grammars read in its place, if that is something else
 */
export const grammarMoves = (
  features: readonly OpenFeature[],
  token: number,
  isAsked: (when: UniformExpr) => boolean,
  read?: readonly number[],
): readonly GrammarMove[] =>
  features.some(hasGrammar)
    ? features.map((f) => {
        const isWanted = f.kind === "allowed" && (f.from.when === undefined || isAsked(f.from.when));
        if (!isWanted || !f.grammar) return "waits";
        return read ? moveOfAll(f.grammar, read) : moveOf(f.grammar, token);
      })
    : NO_MOVES;

/**
 * The same for a token that was accepted elsewhere, without the masks here.
 * @param isRefused a grammar that was asked did not allow it; undefined: that is not known
 */
export const toldMoves = (
  features: readonly OpenFeature[],
  token: number,
  isRefused: boolean | undefined,
  isAsked: (when: UniformExpr) => boolean,
): readonly GrammarMove[] =>
  features.some(hasGrammar)
    ? features.map((f) => {
        const isWanted = f.kind === "allowed" && (f.from.when === undefined || isAsked(f.from.when));
        if (!isWanted || !f.grammar) return "waits";
        return isRefused === false || canAccept(f.grammar, token) ? "goes on" : "refuses";
      })
    : NO_MOVES;

/** The features with new grammars, which begin at the next token. */
export const withGrammars = (
  graph: Graph,
  features: readonly OpenFeature[],
  grammars: GrammarValues,
  isSet: (param: string) => boolean,
  feed: Feed,
): OpenFeature[] =>
  features.map((f) => {
    if (f.kind !== "allowed") return f;
    const { grammar } = f.from;
    if (typeof grammar !== "object" || !isSet(grammar.param)) return f;
    f.grammar?.state.release();
    return { ...f, grammar: startGrammar(graph, grammar, grammars, feed) };
  });

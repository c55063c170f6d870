/** The option `guides`: the other sequences of a generation, whose logits its chain reads. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Feature, FeatureSource, Graph } from "@ggsl/compiler/graph/graph.js";
import * as is from "../core/check.js";
import { InputError, invalid } from "../core/errors.js";
import type { Feed } from "./features/feed.js";
import * as checks from "../core/sharedOptions.js";
import { copied } from "./prompt.js";

/** A sequence that is decoded in the same batch. Each picked token continues it too. */
export interface Guide {
  /** What the sequence begins with, as text or as tokens. */
  readonly prompt: string | Int32Array;
}

/** By the name of the `input NAME: logits`. */
export type Guides = Readonly<Record<string, Guide>>;

/**
 * The graph for a request that feeds some of these logits, such as those of another model: they are inputs like any other.
 * Throws `InputError` for a guide that is fed as well.
 */
export function withFed(graph: Graph, { inputs = {} }: Feed, guides: Guides): Graph {
  const isFed = (from: FeatureSource): from is Extract<FeatureSource, { kind: "guide" }> =>
    from.kind === "guide" && Object.hasOwn(inputs, from.name);
  const both = graph.features.find(({ from }) => isFed(from) && Object.hasOwn(guides, from.name))?.from;
  if (both?.kind === "guide")
    throw invalid(`the logits \`${both.name}\` are both fed and those of a guide: give one of them`);
  if (!graph.features.some(({ from }) => isFed(from))) return graph;
  const fed = graph.features.map((feature): Feature => {
    const { from } = feature;
    return isFed(from) ? { ...feature, from: { kind: "input", name: from.name } } : feature;
  });
  return { ...graph, features: fed };
}

/** Throws `InputError` for a guide that is missing, unknown or not valid. */
export function checkGuides(graph: Graph, guides: Guides, vocabSize: number): void {
  const wanted = guidesOf(graph).map(({ name }) => name);
  is.someObject(guides, "guides");
  for (const [name, guide] of Object.entries(guides)) {
    if (!wanted.includes(name)) throw invalid(unknownGuide(graph, name, wanted));
    const checked: is.Checks<Guide> = { prompt: checks.prompt(vocabSize) };
    is.complete(checked)(guide, `guides.${name}`);
  }
  const missing = wanted.find((name) => !Object.hasOwn(guides, name));
  if (missing !== undefined)
    throw new InputError(
      `the chain \`${graph.name}\` reads the logits of another sequence, \`${missing}\`: give its prompt, as in \`guides: { ${missing}: { prompt: "..." } }\``,
      { code: "MISSING_INPUT" },
    );
}

/** The guides as they are now: a caller may change or transfer its tokens later. */
export const copiedGuides = (guides: Guides = {}): Guides =>
  Object.fromEntries(
    Object.entries(guides).map(([name, { prompt }]) => [
      name,
      { prompt: typeof prompt === "string" ? prompt : copied(prompt) },
    ]),
  );

const unknownGuide = ({ name }: Graph, guide: string, wanted: readonly string[]): string =>
  wanted.length === 0
    ? `the chain \`${name}\` reads the logits of no other sequence, found the guide \`${guide}\``
    : `the chain \`${name}\` has no guide \`${guide}\`; it has ${wanted.map((w) => `\`${w}\``).join(", ")}`;

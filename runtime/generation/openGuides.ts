/** The guides of a text on its way: their tokens, and what each batch decodes of them. */
import { guidesOf } from "@ggsl/compiler/graph/feeds.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import type { Guides } from "../sequence/guides.js";
import type { NativeModel } from "../backends/native/binding.js";
import { checkPromptLength, promptTokens, type TokenizeOptions } from "../sequence/prompt.js";
import type { Part } from "../decode/scheduler/step.js";

/** A guide and its text so far. */
export interface OpenGuide {
  readonly name: string;
  readonly tokens: Int32Array;
}

/** The prompts of a graph's guides as tokens, in the order of its inputs. */
export const openGuides = (
  graph: Graph,
  { guides = {}, ...options }: TokenizeOptions & { readonly guides?: Guides | undefined },
  model: NativeModel,
): OpenGuide[] =>
  guidesOf(graph).map(({ name }) => ({ name, tokens: promptTokens(model, guides[name]!.prompt, options) }));

/** Guides whose prompts end with this token are without it, where something is left. */
export const withoutLast = (guides: readonly OpenGuide[], token: number): OpenGuide[] =>
  guides.map(({ name, tokens }) => ({
    name,
    tokens: tokens.length > 1 && tokens.at(-1) === token ? tokens.subarray(0, -1) : tokens,
  }));

/** Throws `InputError` for a guide whose prompt does not fit. */
export function checkGuideLengths(guides: readonly OpenGuide[], contextSize: number): void {
  for (const { name, tokens } of guides)
    checkPromptLength(tokens.length, contextSize, `the prompt of the guide \`${name}\``);
}

/**
 * The parts of the next batch, after the prompts and `read` of the generated tokens; -1: without the last token of the prompts;
 * undefined: whole texts.
 */
export const guideParts = (guides: readonly OpenGuide[], generated: Int32Array, read: number | undefined): Part[] =>
  guides.map(({ tokens: prompt }) => {
    const position = read === undefined ? 0 : prompt.length + read;
    if (read !== undefined && read >= 0) return { tokens: generated.subarray(read), position };
    return { tokens: Int32Array.from([...prompt.subarray(position), ...generated]), position };
  });

/** The tokens of each guide, by name, after `generated` tokens. */
export const savedGuides = (guides: readonly OpenGuide[], generated: Int32Array): Record<string, Int32Array> =>
  Object.fromEntries(guides.map(({ name, tokens }) => [name, Int32Array.from([...tokens, ...generated])]));

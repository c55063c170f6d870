/** Texts that must not end yet: the tokens that end a text are no candidates, in the graph, in front of the chain. */
import { graphOf, compileProgram } from "@ggsl/compiler/driver.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { prepend } from "@ggsl/compiler/graph/prepend.js";
import { grammarOf } from "../sequence/features/feed.js";
import type { SavedSequence } from "../sequence/savedSequence.js";
import { withUniforms, type SequenceState, type UniformValues } from "../sequence/sequence.js";

/** Where a text must not end. */
export interface EndOptions {
  /**
   * The fewest tokens: until there are as many, tokens that end the text are no candidates, as with std's `min_tokens` in front of
   * the chain. A text that was resumed counts from its beginning. Where a grammar allows nothing else, they are.
   * @default 0
   * @unit tokens
   */
  readonly minTokens?: number | undefined;
  /**
   * Tokens that end the text are never candidates, except where a grammar allows nothing else.
   * @default false
   */
  readonly ignoreEnd?: boolean | undefined;
}

/** Not the name of a parameter of a program. */
const PARAM = "min tokens";
/** More tokens than a context can have. */
export const NO_END = 2 ** 24;

let front: Graph | undefined;

/** The same graph for every number of tokens. */
function frontGraph(): Graph {
  const program = 'import { min_tokens } from "std"\nchain front(n: i32 >= 0 = 0) = min_tokens(n)';
  const graph = graphOf(compileProgram(program, { outputs: ["logits"] }));
  const [param] = graph.params;
  return {
    ...graph,
    params: [{ ...param!, name: PARAM }],
    uniforms: graph.uniforms.map((uniform) => ({
      ...uniform,
      expr: JSON.parse(JSON.stringify(uniform.expr), (key, value: unknown) =>
        key === "param" && value === param!.name ? PARAM : value,
      ) as typeof uniform.expr,
    })),
  };
}

/** Whether `withEnds` adds something. */
export const hasFront = ({ minTokens = 0, ignoreEnd = false }: EndOptions): boolean => minTokens > 0 || ignoreEnd;

const made = new WeakMap<Graph, Graph>();

/** The graph for these options; without them the graph itself. */
export function withEnds(graph: Graph, options: EndOptions): Graph {
  if (!hasFront(options)) return graph;
  const known = made.get(graph) ?? prepend((front ??= frontGraph()), graph);
  made.set(graph, known);
  return known;
}

/** The values of the parameters that `withEnds` adds. */
export const endValues = (options: EndOptions): UniformValues =>
  hasFront(options) ? { [PARAM]: options.ignoreEnd ? NO_END : options.minTokens! } : {};

/**
 * The sequence for the next token: where a grammar allows nothing but the end, the text may end, however short it is. Its grammars are
 * ready.
 */
export function mayEnd(sequence: SequenceState, options: EndOptions, isEnd: (token: number) => boolean): SequenceState {
  if (!hasFront(options)) return sequence;
  const isOver = sequence.features.some((feature) => {
    const grammar = grammarOf(feature);
    return grammar !== undefined && allAre(grammar.state.bits(), isEnd);
  });
  return isOver ? withUniforms(sequence, { [PARAM]: 0 }) : sequence;
}

/** Whether there are tokens whose bits are set, and all of them pass. */
function allAre(bits: Uint32Array, passes: (token: number) => boolean): boolean {
  let isAny = false;
  for (let i = 0; i < bits.length; i++)
    for (let word = bits[i]!; word !== 0; word &= word - 1) {
      if (!passes(32 * i + 31 - Math.clz32(word & -word))) return false;
      isAny = true;
    }
  return isAny;
}

/** A saved sequence of the chain alone. */
export function withoutEnds(saved: SavedSequence): SavedSequence {
  const { [PARAM]: _, ...params } = saved.params;
  return { ...saved, params };
}

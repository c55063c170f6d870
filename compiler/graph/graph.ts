/**
 * The graph: a chain is lowered to it, the optimizer rewrites it and a runtime executes it.
 *
 * Every value is a vector, per sequence: a scalar has one row, a column of the candidate table `V` (the whole
 * vocabulary) or `k` rows. Batching is up to the runtime. A graph is plain readonly data.
 */
import type { UniformOp } from "./uniformOps.js";
import type { OpName } from "./ops.js";
import type { Range } from "../core/range.js";
import type { Attrs, Dim, Dtype, VectorType } from "./vector.js";

export type { Attr, Dim, Dtype } from "./vector.js";

/** A node's index in `Graph.nodes`. Operands come before the nodes that use them. */
export type NodeId = number;

/** Where in the source a node came from; `stage` is the index into `Graph.stages`. Lines and columns count from 1. */
export interface Origin {
  readonly stage: number;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface GraphNode extends VectorType {
  readonly op: OpName;
  readonly inputs: readonly NodeId[];
  readonly attrs: Attrs;
  /** A short name for dumps and for ggml's tensors, e.g. `prob`. */
  readonly name?: string;
  readonly origin?: Origin;
}

/** What a text may end with: a text, compared byte by byte whatever its tokens are, or the ids of tokens. Never empty. */
export type Ending = string | readonly number[];

/**
 * A uniform expression: a number computed once per token from parameters, draws, states and the text so far, e.g.
 * `["div", 1, {"param": "t"}]`. `last` is the id of the k-th last token, or -1; `since` the number of tokens since the text
 * last ended so; `prompt_length` the tokens of the prompt.
 */
export type UniformExpr =
  | number
  | { readonly param: string }
  | { readonly draw: number }
  | { readonly state: number }
  /** Of the values of the window with that number, without that of the present token. */
  | { readonly window: number; readonly of: WindowFold }
  | { readonly last: number }
  | { readonly ends_with: Ending }
  | { readonly since: Ending }
  /** Whether the next byte may be one of the rule with that number: 1 or 0. */
  | { readonly in_rule: number }
  /** Whether the set with that number has the token: 1 or 0. */
  | { readonly member: UniformExpr; readonly of: number }
  | "step"
  | "vocab"
  | "prompt_length"
  | readonly [op: UniformOp, ...operands: UniformExpr[]];

/** A chain's parameter that can change with every token. */
export interface Param {
  readonly name: string;
  readonly type: "f32" | "i32" | "bool" | "seed";
  readonly default: number | "random";
  readonly range: Range;
  readonly doc?: string;
}

/**
 * A draw from a stream of random numbers (mt19937): the next one for each token, or the one at index `at`. Or a seed itself, the
 * same for each token, which has neither a stream nor an index.
 */
export interface Draw {
  /** `f64`: a 53-bit draw, as in `dist`; `f32`: a 24-bit draw, as in `xtc`; `seed`: the seed. */
  readonly kind: "f64" | "f32" | "seed";
  readonly seed: number | "random" | { readonly param: string };
  /** Which of the seed's streams, see `streamSeed`; absent: the stream that llama.cpp's samplers draw from. */
  readonly stream?: number;
  readonly at?: UniformExpr;
}

/** A number kept per sequence; `next` is the node with its value after the token is accepted. */
export interface State {
  readonly name: string;
  /** An integer: a value beyond 2^24 or below -2^24 is replaced by that bound when it is kept. Absent: any number. */
  readonly type?: "i32";
  readonly init: UniformExpr;
  readonly next: NodeId;
}

/** The last `size` values of a scalar, one for each token that was generated; `next` is the node with that of the present token. */
export interface Window {
  readonly name: string;
  readonly size: number;
  readonly next: NodeId;
}

/** What is computed of the values in a window. Of none, `sum` is 0, `min` the largest number and `max` the lowest. */
export type WindowFold = "sum" | "min" | "max";

/** A scalar that is reported with the token: `node` has its value. */
export interface Measure {
  readonly name: string;
  readonly node: NodeId;
}

/** A text that comes next, whatever the chain would pick, where `when` is not 0. */
export interface Write {
  readonly text: string;
  readonly when: UniformExpr;
}

/** A condition that ends the text: with the picked token, where the value of `node` is not 0. */
export interface Stop {
  /** What the reader of the text is told; several may have one name. */
  readonly name: string;
  readonly node: NodeId;
}

/** One row of a uniforms table: `expr` is evaluated on the host before every token. */
export interface Uniform {
  readonly name: string;
  readonly expr: UniformExpr;
}

/** A vector that the host fills before every token. `logits`, f32[V], is always `inputs[0]`. */
export interface Input {
  readonly name: string;
  readonly dtype: Dtype;
  readonly dim: Dim;
  readonly source: InputSource;
}

/**
 * `logits` are the model's. A dense feature has V numbers; one of `bits` has V too, each 0 or 1, which travel as bits, 16 to an i32,
 * the lowest first, and are taken apart before the graph reads them; a sparse one has the `ids` and the `values` of its (token, value)
 * pairs; unused pairs have the feature's `fill` and ids that no other pair has.
 */
type InputSource = { readonly kind: "logits" } | { readonly kind: FeaturePart; readonly feature: number };

/** What an input has of a feature. */
export type FeaturePart = "dense" | "bits" | "ids" | "values";

/** A column that the host feeds: computed from the text so far, or set by the calling program. */
export interface Feature {
  readonly form:
    { readonly kind: "dense" | "bits" } | { readonly kind: "sparse"; readonly capacity: Dim; readonly fill: number };
  readonly from: FeatureSource;
}

/** A sequence of tokens: a text, which the vocabulary cuts into tokens, a token id, or token ids. Never empty. */
export type TokenSequence = string | number | readonly number[];

/**
 * A part of the text, or a list of at most `capacity` tokens that the calling program gives under a name. Absent: prompt and
 * generated tokens.
 */
export type TextSource = "prompt" | "generated" | { readonly input: string; readonly capacity: number };

/** The tokens of a set: ids, texts of one token, every token whose text matches a pattern, and llama.cpp's classes of tokens. */
export type TokenItem = number | string | { readonly pattern: string } | { readonly class: "control" | "end" };

/** A set of tokens. It is the same for every model; each model finds its own tokens in it. */
export interface TokenSet {
  /** The members, or the default ones of a parameter. */
  readonly of: readonly TokenItem[];
  /** The name of a set that is a parameter, and the most tokens that it takes. It can change with every token. */
  readonly name?: string;
  readonly capacity?: number;
  readonly doc?: string;
}

/** A phrase that must not be written: a text, or a regular expression. */
export type PhraseItem = string | { readonly pattern: string };

/**
 * Phrases that must not be written. The host looks for them in the text; where it has one, the text goes back to the token in which the
 * phrase begins, and this token is one of a set there, which is empty at all other places.
 */
export interface PhraseList {
  /** Of the parameter, which is the name of the set, too. One with a blank is no parameter. */
  readonly name: string;
  /** The phrases, or the default ones of a parameter. */
  readonly of: readonly PhraseItem[];
}

/** A grammar in GBNF, or the name of a parameter that is one. */
export type GrammarRef = string | { readonly param: string };

/** A rule of a grammar that the program asks about. */
export interface GrammarRule {
  readonly grammar: GrammarRef;
  readonly name: string;
}

/** A parameter that is a grammar. The calling program gives it in one of several forms, for each sequence; no graph has it. */
export interface GrammarParam {
  readonly name: string;
  /** The grammar in GBNF where none is given; absent if one must be. */
  readonly default?: string;
  readonly doc?: string;
}

/**
 * `last` counts tokens back from the end of the text `in` which they are; a negative value means all of it. A breaker is a text or
 * a token id.
 */
export type FeatureSource =
  | { readonly kind: "occurrences"; readonly last: UniformExpr; readonly in?: TextSource }
  | {
      readonly kind: "repeat_len";
      readonly last: UniformExpr;
      readonly breakers: readonly (string | number)[];
      readonly in?: TextSource;
    }
  /** The tokens that would complete one of the sequences. */
  | { readonly kind: "completes"; readonly sequences: readonly TokenSequence[] }
  | { readonly kind: "bias" }
  /** 1 for the tokens of a set, else 0; with `not` the other way round. */
  | { readonly kind: "set"; readonly set: number; readonly not?: true }
  /**
   * Whether a grammar accepts the token next. `when`: the grammar is asked at a token where this is not 0, and waits elsewhere; absent:
   * at each token. It is followed even if no input has its column. `first`: the chain keeps what it allows before it drops any other row, whatever the token.
   */
  | { readonly kind: "allowed"; readonly grammar: GrammarRef; readonly when?: UniformExpr; readonly first?: true }
  /** The logits of another sequence: in a model's graph a row of the same batch, on plain numbers what the caller gives. */
  | { readonly kind: "guide"; readonly name: string }
  /** Without a type any numbers are accepted. */
  | { readonly kind: "input"; readonly name: string; readonly type?: "i32" | "bool" };

/** A stage of the host tail: one of llama.cpp's own CPU samplers, with its parameters. */
export interface TailStage {
  readonly name: string;
  readonly args: Readonly<Record<string, TailArg>>;
}

export type TailArg = number | string | readonly (number | string)[] | { readonly param: string };

/** A stage of the chain, e.g. `top_k(40)`. */
export interface Stage {
  readonly name: string;
  readonly origin: Omit<Origin, "stage">;
  /** Rows of the candidate table after it, including masked ones; absent on the host tail. */
  readonly rows?: Dim;
  /** The source text of the statements that may drop rows; absent if there are none. */
  readonly drops?: readonly string[];
}

export interface Outputs {
  /** The picked token's id, i32[1]. Absent if the chain does not pick. */
  readonly sampled?: NodeId;
  /** Token ids of the rows, i32; absent means row = token id. */
  readonly candidates?: NodeId;
  /** Logits of the rows, f32; -inf marks a dropped row. */
  readonly logits?: NodeId;
  /** Probabilities of the rows, f32; they sum to 1. */
  readonly probs?: NodeId;
}

/** A compiled chain: plain data, validated by `verify` or `readSpec`. */
export interface Graph {
  readonly name: string;
  readonly nodes: readonly GraphNode[];
  readonly params: readonly Param[];
  readonly draws: readonly Draw[];
  readonly states: readonly State[];
  /** Absent: none. */
  readonly windows?: readonly Window[];
  readonly measures: readonly Measure[];
  /** In the order of the program; the first that holds counts. Absent: none. */
  readonly stops?: readonly Stop[];
  /** In the order of the program; of several that hold at once, the first counts. Absent: none. */
  readonly writes?: readonly Write[];
  readonly uniforms: readonly Uniform[];
  readonly inputs: readonly Input[];
  readonly features: readonly Feature[];
  /** Absent: none. */
  readonly sets?: readonly TokenSet[];
  /** Absent: none. */
  readonly phrases?: readonly PhraseList[];
  /** The parameters that are grammars. Absent: none. */
  readonly grammars?: readonly GrammarParam[];
  /** Of grammars that features follow, each once. Absent: none. */
  readonly rules?: readonly GrammarRule[];
  readonly stages: readonly Stage[];
  /** The host tail, which runs on the rows read back; empty for a chain that stays on the device. */
  readonly tail: readonly TailStage[];
  readonly outputs: Outputs;
}

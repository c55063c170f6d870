/** Samplers as the server's other parts, and its clients, see them. All of it is plain data, except the chain. */
import type { Cost } from "@ggsl/compiler/graph/cost.js";
import type { GraphSpec } from "@ggsl/compiler/graph/json.js";
import type { Chain } from "ggsl/chain/chain.js";

/** What the client sent as `sampler`, and what it chose beside it. */
export interface SamplerRequest {
  /**
   * GGSL source, a pipeline of standard samplers, a graph spec (an object, or its JSON as a text), the name of one of the server's
   * samplers, or the id of one that was compiled before.
   */
  readonly sampler: unknown;
  /** `sampler_chain`: the chain of a program that declares several. */
  readonly chain?: string | undefined;
  /** Puts the standard sampler `constrain` in front of a chain that has no grammar parameter, for `response_format` and tools. */
  readonly constrained?: boolean | undefined;
  /** With the graph of its rows, for their probabilities. */
  readonly rows?: boolean | undefined;
  /** With measures of what each stage does. */
  readonly trace?: boolean | undefined;
}

export type SamplerForm = "program" | "pipeline" | "spec";

/** A finding of the compiler in the text of the client. */
export interface SamplerDiagnostic {
  readonly severity: "error" | "warning";
  /** `E0101`, ...; `INVALID_SPEC` for a fault of a spec. */
  readonly code: string;
  readonly message: string;
  /** `sampler`, or the file of the server or of the standard library; absent for a spec, as are the places. */
  readonly file?: string;
  /** From 1; columns count UTF-16 code units. */
  readonly line?: number;
  readonly column?: number;
  /** Exclusive. */
  readonly endLine?: number;
  readonly endColumn?: number;
  readonly label?: string;
  readonly help?: string;
  /** The finding as the command line prints it: with the line of the source and a caret. */
  readonly text: string;
}

/** A value that the client can give in `sampler_params`. */
export interface SamplerParameter {
  readonly name: string;
  readonly type: "f32" | "i32" | "bool" | "seed" | "tokens" | "phrases" | "grammar";
  readonly min?: number;
  readonly max?: number;
  /** Whether `min` and `max` are excluded. */
  readonly excludesMin?: boolean;
  readonly excludesMax?: boolean;
  /** Absent if it must be given; `random` for a seed that is new for each text. */
  readonly default?: number | boolean | string | readonly (number | string | object)[];
  /** The most tokens of a set. */
  readonly capacity?: number;
  readonly doc?: string;
}

/** Columns, texts and guides that the client must give in `sampler_inputs`. */
export interface SamplerInput {
  readonly name: string;
  /** `column`: a number for tokens; `text`: a list of tokens; `guide`: the logits of another sequence. */
  readonly kind: "column" | "text" | "guide";
  /** Of a column. */
  readonly type?: "f32" | "i32" | "bool";
  /** The most tokens of a text, and of a column that has numbers for some tokens only. */
  readonly capacity?: number;
}

/** What a compiled sampler is, without the chain: the worker's answer, and the body of `POST /v1/samplers`. */
export interface SamplerFacts {
  readonly form: SamplerForm;
  /** The name of the chain. */
  readonly chainName: string;
  readonly spec: GraphSpec;
  readonly parameters: readonly SamplerParameter[];
  readonly inputs: readonly SamplerInput[];
  /** The names of the numbers that `measures: true` reports. */
  readonly measures: readonly string[];
  /** The names of what can end its texts. */
  readonly stops: readonly string[];
  /** Whether it picks a token; one that does not cannot generate text. */
  readonly picks: boolean;
  /** Warnings. */
  readonly diagnostics: readonly SamplerDiagnostic[];
  /** For a token of a sequence, at the model's vocabulary. */
  readonly cost: Cost;
  /** What `ggsl explain` prints: stages, parameters, cost. */
  readonly explain: string;
}

/** A compiled sampler. */
export interface Sampler extends SamplerFacts {
  /** The sha256 of what was sent, in hexadecimal; a request may give it as `sampler`. */
  readonly id: string;
  /** The name of a sampler of the server. */
  readonly name?: string;
  /** With the stages of the server's policy. */
  readonly chain: Chain;
}

/** The most that a token of a sequence may cost; what is absent has no limit beyond those of the compiler. */
export type CostLimits = { readonly [Name in keyof Cost]?: number };

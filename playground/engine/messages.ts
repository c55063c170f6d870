/** Requests of the page to its worker, and their replies: plain data that can be cloned between threads. */
import type { GrammarParam, Param } from "@ggsl/compiler/graph/graph.js";

/** The value of a parameter that is a set: token ids, and texts of tokens. */
export type TokenList = readonly (number | string)[];

/** The value of a parameter that is a grammar, as a user writes it. */
export type GrammarText = { readonly gbnf: string } | { readonly jsonSchema: string };

/** Values of static parameters by name. */
export type StaticValues = Readonly<Record<string, number | TokenList>>;

/** Values of parameters by name. */
export type ParamValues = Readonly<Record<string, number | TokenList | GrammarText>>;

/** A program and the options of its compilation. */
export interface ProgramRef {
  readonly text: string;
  /** May be omitted if the program declares one chain. */
  readonly chain?: string;
  /** Values of the chain's static parameters. */
  readonly statics: StaticValues;
  /** The value of all open seeds. */
  readonly seed: number;
  /** The files that the program imports, where there are any: the page has none. */
  readonly imports?: readonly ImportedFile[];
}

/** A file as the file `from` imports it, by `path`. */
export interface ImportedFile {
  readonly from: string;
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

/** Offsets into the program's text, in UTF-16 code units; `to` is excluded. */
export interface PageDiagnostic {
  readonly from: number;
  readonly to: number;
  readonly line: number;
  readonly column: number;
  readonly code: string;
  readonly severity: "error" | "warning";
  readonly message: string;
  readonly help?: string;
}

export interface SymbolParam {
  readonly name: string;
  /** As declared, e.g. `p: f32 in [0, 1] = 0.05`. */
  readonly declaration: string;
}

/** A sampler or a chain that can be a stage. */
export interface StageSymbol {
  readonly name: string;
  readonly kind: "sampler" | "chain";
  readonly doc: string;
  readonly params: readonly SymbolParam[];
}

/** The language's own tables, for the editor: words and what they mean. */
export interface LanguageTables {
  readonly keywords: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, string>>;
  readonly functions: Readonly<Record<string, string>>;
  readonly names: Readonly<Record<string, string>>;
  readonly std: readonly StageSymbol[];
}

/** A static parameter. */
export interface StaticParam extends Pick<Param, "name" | "type" | "range" | "doc"> {
  readonly default?: number;
}

/** A parameter that is a set of tokens. */
export interface SetParam {
  readonly name: string;
  readonly isStatic: boolean;
  /** The most tokens that it takes. */
  readonly capacity: number;
  /** The default value as the program has it. */
  readonly default?: string;
}

export interface CheckReply {
  readonly diagnostics: readonly PageDiagnostic[];
  readonly symbols: readonly StageSymbol[];
  readonly chains: readonly string[];
  /** Why there is no chain, for a program without errors. */
  readonly absent?: string;
  readonly chain?: ChainFacts;
}

export interface ChainFacts {
  readonly name: string;
  readonly params: readonly Param[];
  readonly statics: readonly StaticParam[];
  readonly sets: readonly SetParam[];
  readonly grammars: readonly GrammarParam[];
  /** Other sequences whose logits the chain reads. */
  readonly guides: readonly string[];
  readonly stages: readonly string[];
  readonly picks: boolean;
  readonly states: readonly string[];
}

export interface Evaluated {
  /** The backend that was used and, if it is not WebAssembly, why. */
  readonly backend: string;
  readonly note?: string;
}

export interface ChainRequest extends ProgramRef {
  readonly uniforms: ParamValues;
  readonly logits: Float32Array;
  /** The texts of the tokens; absent if none were given. */
  readonly vocabulary?: readonly string[];
  /** Token ids of the text so far. */
  readonly history: readonly number[];
}

/** Stage 0 is the chain's input. */
export interface StageResult {
  readonly name: string;
  readonly rows: number;
  /** In bits. */
  readonly entropy: number;
  /** Of the shown tokens, in their order; 0 for a dropped one. */
  readonly probs: Float32Array;
  /** A row that is kept may have a probability of 0. */
  readonly isKept: Uint8Array;
}

export interface StagesReply extends Evaluated {
  /** The shown tokens, the likeliest first. */
  readonly tokens: Int32Array;
  readonly stages: readonly StageResult[];
  /** Absent if the chain picks none. */
  readonly picked?: number;
  /** Why not all stages were evaluated. */
  readonly stopped?: string;
  /** Graphs compiled since the worker started; a slider of a uniform compiles none. */
  readonly compiled: number;
}

export interface WalkRequest extends ChainRequest {
  readonly steps: number;
}

export interface WalkReply extends Evaluated {
  readonly tokens: readonly number[];
  /** The surprise of each picked token in the chain's last distribution, in bits. */
  readonly surprises: readonly number[];
  /** Values before each step and after the last step. */
  readonly states: readonly { readonly name: string; readonly values: readonly number[] }[];
  /** One value for each step. */
  readonly measures: readonly { readonly name: string; readonly values: readonly number[] }[];
}

export interface DrawnNode {
  readonly label: string;
  readonly detail: string;
  /** Index of the stage; -1 for none. */
  readonly stage: number;
  readonly layer: number;
  readonly place: number;
  readonly inputs: readonly number[];
  readonly isOutput: boolean;
}

/** Boxes in layers, from top to bottom. */
export interface LayeredDrawing {
  readonly nodes: readonly DrawnNode[];
  readonly stages: readonly { readonly name: string; readonly nodes: number }[];
  readonly layers: number;
  readonly width: number;
}

export interface GraphReply {
  readonly text: string;
  readonly plainText: string;
  /** Absent if the graph is too large to draw. */
  readonly drawing?: LayeredDrawing;
  readonly nodes: number;
  readonly nodesWithoutOptimizer: number;
  /** The number of additional nodes without one optimization; only optimizations that have an effect. */
  readonly optimizations: readonly { readonly name: string; readonly doc: string; readonly more: number }[];
  /** The number of nodes of each op, without and with the optimizer. */
  readonly ops: readonly { readonly op: string; readonly before: number; readonly after: number }[];
}

/** A chain for a model: the program's, or stages of standard samplers. */
export type SpecRequest =
  | ({ readonly kind: "program" } & ProgramRef)
  | { readonly kind: "stages"; readonly stages: string; readonly seed: number };

export interface SpecReply {
  /** With the seed of the request. */
  readonly spec: string;
  /** Whether the seed of the request has an effect. */
  readonly hasOpenSeed: boolean;
}

export interface Requests {
  readonly language: { readonly request: null; readonly reply: LanguageTables };
  readonly check: { readonly request: ProgramRef; readonly reply: CheckReply };
  readonly stages: { readonly request: ChainRequest; readonly reply: StagesReply };
  readonly walk: { readonly request: WalkRequest; readonly reply: WalkReply };
  readonly graph: { readonly request: ProgramRef; readonly reply: GraphReply };
  readonly spec: { readonly request: SpecRequest; readonly reply: SpecReply };
}

export type Kind = keyof Requests;

export interface Question<K extends Kind = Kind> {
  readonly id: number;
  readonly kind: K;
  readonly request: Requests[K]["request"];
}

export type Answer =
  | { readonly id: number; readonly reply: Requests[Kind]["reply"] }
  /** `isInput`: an error in the program; otherwise a bug of the page. */
  | { readonly id: number; readonly error: string; readonly isInput: boolean };

/** The worker sends this once, when it is ready for requests. */
export const READY = "ready";

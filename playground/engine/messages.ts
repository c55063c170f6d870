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
  /** `pipeline`: stages of standard samplers, without a declaration. */
  readonly kind: "program" | "pipeline";
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
  /** What mends it. */
  readonly fix?: PageFix;
}

export interface PageFix {
  /** As in "Change to `temp`". */
  readonly title: string;
  readonly edits: readonly { readonly from: number; readonly to: number; readonly insert: string }[];
}

interface SymbolParam {
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
  readonly measures: readonly string[];
}

export interface Evaluated {
  /** The backend that was used and, if it is not WebAssembly, why. */
  readonly backend: string;
  readonly note?: string;
}

export interface ChainRequest extends ProgramRef {
  readonly uniforms: ParamValues;
  readonly place: PickPoint;
  /** The texts of the tokens; absent if none were given. */
  readonly vocabulary?: readonly string[];
}

/** Where in a text the chain picks a token. */
export interface PickPoint {
  /** For each token of the vocabulary. */
  readonly logits: Float32Array;
  /** Token ids before the first one that the chain picked. */
  readonly history: readonly number[];
  /** Token ids that the chain has picked so far. */
  readonly picked: readonly number[];
  /** The logits of each of these tokens, one row after the other; without them, those of the place stand for all. */
  readonly earlier?: Float32Array;
  /** The logits of the guides at the place, by name. */
  readonly guides?: Readonly<Record<string, Float32Array>>;
}

/** Stage 0 is the chain's input. */
export interface StageResult {
  readonly name: string;
  readonly rows: number;
  /** In bits. */
  readonly entropy: number;
  /** The probabilities of the shown tokens, in their order; 0 for a dropped one. */
  readonly probs: Float32Array;
  /** A row that is kept may have a probability of 0. */
  readonly isKept: Uint8Array;
  /** The probabilities at the ranks of the reply, in the order of this stage; 0 where there are fewer rows. */
  readonly byRank: Float32Array;
}

export interface StagesReply extends Evaluated {
  /** The shown tokens, the likeliest first. */
  readonly tokens: Int32Array;
  readonly stages: readonly StageResult[];
  /** From 1 to the size of the vocabulary, evenly on a logarithmic scale. */
  readonly ranks: readonly number[];
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
  /** The first step, from 1, at which a text would end, and the name of the stop; absent without one. */
  readonly stop?: { readonly at: number; readonly name: string };
}

/** A box of a drawing: its upper left corner and size, in pixels. */
export interface DrawnNode {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The op, and what is known of it. */
  readonly lines: readonly [label: string, detail: string];
  readonly title: string;
  /** Index of the stage; -1 for none. */
  readonly stage: number;
  readonly isResult: boolean;
}

export interface PageDrawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly (readonly { readonly x: number; readonly y: number }[])[];
  readonly stages: readonly { readonly name: string; readonly nodes: number }[];
}

export interface GraphReply {
  readonly text: string;
  readonly plainText: string;
  /** Absent if the graph is too large to draw. */
  readonly drawing?: PageDrawing;
  readonly nodes: number;
  readonly nodesWithoutOptimizer: number;
  /** The number of additional nodes without one optimization; only optimizations that have an effect. */
  readonly optimizations: readonly { readonly name: string; readonly doc: string; readonly more: number }[];
  /** The number of nodes of each op, without and with the optimizer. */
  readonly ops: readonly { readonly op: string; readonly before: number; readonly after: number }[];
}

export interface SpecReply {
  /** With the seed of the request. */
  readonly spec: string;
  /** Whether the seed of the request has an effect. */
  readonly hasOpenSeed: boolean;
}

/** A place in a program's text. */
export interface HelpRequest {
  readonly text: string;
  readonly offset: number;
}

/** What a name means, in Markdown. */
export interface HoverReply {
  readonly from: number;
  readonly to: number;
  readonly markdown: string;
}

/** The call around a place. */
export interface SignatureReply {
  readonly label: string;
  /** The present parameter as it is in the label; absent if there is none. */
  readonly active?: string;
  readonly markdown?: string;
}

/** What a chain with its defaults makes of a distribution. */
export interface PreviewReply {
  /** The tokens, the likeliest first, before the chain and after it. */
  readonly before: Float32Array;
  readonly after: Float32Array;
}

export interface Requests {
  readonly language: { readonly request: null; readonly reply: LanguageTables };
  readonly check: { readonly request: ProgramRef; readonly reply: CheckReply };
  readonly stages: { readonly request: ChainRequest; readonly reply: StagesReply };
  readonly walk: { readonly request: WalkRequest; readonly reply: WalkReply };
  readonly graph: { readonly request: ProgramRef; readonly reply: GraphReply };
  readonly spec: { readonly request: ProgramRef; readonly reply: SpecReply };
  readonly hover: { readonly request: HelpRequest; readonly reply: HoverReply | null };
  readonly signature: { readonly request: HelpRequest; readonly reply: SignatureReply | null };
  readonly preview: { readonly request: ChainRequest; readonly reply: PreviewReply };
}

export type Kind = keyof Requests;

export interface Question<K extends Kind = Kind> {
  readonly kind: K;
  readonly request: Requests[K]["request"];
}

export type Reply = Requests[Kind]["reply"];

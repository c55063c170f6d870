/** What a grammar is given as, and a position in a text that it constrains. */

/** A grammar in one of the forms that it can be given in. */
export type GrammarSource = SourceForm & {
  /**
   * Rules that are asked about: `in_rule` of a program. A sequence adds those of its chain.
   * @default none
   */
  readonly rules?: readonly string[] | undefined;
};

type SourceForm =
  /** A grammar in llama.cpp's form, whose rule `root` is the text. */
  | { readonly gbnf: string }
  | SchemaSource
  /** The whole text matches a regular expression. */
  | { readonly regex: string }
  /** The text is one of these. */
  | { readonly choices: readonly string[] }
  /** XGrammar's structural tags: text with parts that obey a schema or a grammar, such as tool calls. */
  | { readonly structuralTag: object };

/** Texts that are JSON of a value that is valid for a schema. */
export interface SchemaSource {
  /** An object, a boolean, or either as JSON text. A keyword that a grammar cannot enforce is an error (UNENFORCED_KEYWORD). */
  readonly jsonSchema: object | boolean | string;
  /**
   * Keywords that the text need not obey.
   * @default none
   */
  readonly ignore?: readonly string[] | undefined;
  /**
   * What may come between the parts: `none`; `line`, a blank at most; `usual`, a blank, or a line and
   * at most four blanks for each level of the values, and 64; `any` number of blanks and lines.
   * @default "usual"
   */
  readonly whitespace?: "none" | "line" | "usual" | "any" | undefined;
  /**
   * The order of an object's properties: as the schema declares them, then the others; or any.
   * @default "declared"
   */
  readonly order?: "declared" | "any" | undefined;
  /**
   * Whether properties come that the schema does not describe, in an object whose schema declares some with `properties` and says nothing of
   * others (`additionalProperties`, `patternProperties`, `unevaluatedProperties`, `propertyNames`). JSON Schema allows them; `none`, as other
   * programs do it, keeps a model to what is declared.
   * @default "none"
   */
  readonly others?: "none" | "any" | undefined;
}

export type GrammarKind = "gbnf" | "jsonSchema" | "regex" | "choices" | "structuralTag";

/** A grammar and its position in a text. Positions are immutable; each remembers the tokens before it. */
export interface GrammarState {
  /**
   * What to wait for before `bits` can be called; undefined if it can be called now. It rejects with an `InputError` for a grammar
   * that the engine refuses, or that exceeds a limit.
   */
  ready(): Promise<void> | undefined;
  /**
   * One bit for each token that may come next, lowest bit first, ceil(V/32) words. End-of-text tokens may come where the grammar
   * may end. The caller does not change them. Throws if the position is not ready.
   */
  bits(): Uint32Array;
  /**
   * The position after a token. Throws `InputError` for one that may not come next, here, or when the new position becomes ready.
   */
  accept(token: number): GrammarState;
  /**
   * A bit for each of the source's `rules`: whether the next byte may be one of it. Throws if the position is not ready. Absent: not known.
   */
  rules?(): number;
  /**
   * The positions after each of these tokens in turn, ready, up to the first that may not come next or that ends the text: one
   * request for all, for drafted tokens.
   */
  follow(tokens: ArrayLike<number>): Promise<readonly GrammarState[]>;
  /** Frees what the engine holds for the text of this position. All its positions stay valid. */
  release(): void;
}

/** The types of a vector of the graph, and of a node's attributes. */

/**
 * The length of a vector. `V` is the vocabulary size, bound when a model is known. An integer above 1 counts rows of
 * the candidate table, so it is bound to `min(dim, V)`: a table never has more rows than there are tokens.
 */
export type Dim = number | "V";

export type Dtype = "f32" | "i32";

export interface VectorType {
  readonly dtype: Dtype;
  readonly dim: Dim;
}

export type Attr = number | string;

export type Attrs = Readonly<Record<string, Attr>>;

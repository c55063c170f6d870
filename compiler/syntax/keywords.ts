/** The keywords of the grammar, for editors; a test compares this table with the grammar. */

export interface Keyword {
  /**
   * `declaration` at the top level, `statement` in a sampler, `clause` in a test, `modifier` inside one of these, `operator`
   * and `constant` in expressions, `type` of a parameter.
   */
  readonly group: "declaration" | "statement" | "clause" | "modifier" | "operator" | "constant" | "type";
  readonly doc: string;
}

const group = (group: Keyword["group"], docs: Readonly<Record<string, string>>): Record<string, Keyword> =>
  Object.fromEntries(Object.entries(docs).map(([word, doc]) => [word, { group, doc }]));

export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  ...group("declaration", {
    import: 'imports samplers and chains from the standard library or another file: `import { top_k } from "std"`',
    const: "names a number: `const x = 1`",
    input: "a column that the calling program sets: `input green: f32`; in a test, its values",
    sampler: "declares a sampler, which changes the table of candidates",
    chain: "declares a chain of samplers: `chain c = top_k(40) |> dist()`",
    test: "gives candidates, runs a chain and checks the result",
  }),
  ...group("statement", {
    let: "a new column, or a scalar: `let x = expr`",
    keep: "drops the rows where the condition is false: `keep cond`, `keep cond at least m`",
    top: "the `k` best rows, best first: `top k`, `top k by expr`",
    sort: "sorts the rows, by default by descending logit: `sort by expr asc`",
    if: "a branch; if the condition is not known at compile time, both branches run and are blended",
    else: "the branch for a false condition of `if`",
    pick: "chooses the token: `pick sample(seed)`, `pick argmax(expr)`",
    state: "a number that a sequence remembers: `state s: f32 = init`; in a test, its expected values",
    measure: "a number that is reported with each token: `measure name = expr`; in a test, its expected values",
    after: "`after pick { ... }` assigns the next values of states",
  }),
  ...group("clause", {
    logits: "the candidates' logits, one for each token",
    probs: "the candidates' probabilities, one for each token",
    history: "the tokens so far",
    accept: "tokens that are accepted before the run, as if they had been picked",
    vocab: "the texts of the tokens, the text of token 0 first",
    bias: "the request's logit biases: `bias [token: value]`",
    steps: "the number of tokens to pick",
    run: "the chain to run",
    expect: "the expected result: `probs`, `logits`, `kept`, `order`, `token` or `tokens`",
  }),
  ...group("modifier", {
    from: "the file that is imported",
    sparse: "an input with values for at most 64 tokens, 0 for all others: `sparse(64) = 0`",
    static: "the parameter is known at compile time; it can determine the table's size",
    host: "a stage that runs llama.cpp's own CPU sampler",
    in: "the range of a parameter: `in [0, 1]`",
    at: "`at least m`: the minimum number of rows kept",
    least: "`at least m`: the minimum number of rows kept",
    by: "the sort key",
    asc: "smallest first",
    desc: "largest first",
    sample: "`pick sample(seed)`: a random row, weighted by probability",
    argmax: "`pick argmax(expr)`: the row of the largest value",
    kept: "the token ids left, in any order",
    order: "the token ids left, in the present order",
    token: "the picked token; in a sampler, the column of token ids",
    tokens: "the tokens picked, one for each step",
  }),
  ...group("operator", {
    and: "both conditions hold",
    or: "one of the conditions holds",
    not: "the condition does not hold",
  }),
  ...group("constant", { true: "a condition that holds", false: "a condition that does not hold", inf: "infinity" }),
  ...group("type", {
    f32: "a number",
    i32: "an integer",
    bool: "a condition",
    seed: "the seed of a stream of random numbers",
    text: "a text, known at compile time; in a test, the text so far",
    list: "a list of texts, token ids and lists of token ids, known at compile time",
  }),
};

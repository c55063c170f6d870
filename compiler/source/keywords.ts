/** The keywords of the grammar, for editors; a test compares this table with the grammar. */

export interface Keyword {
  /**
   * `declaration` at the top level, `statement` in a sampler, `clause` in a test, `modifier` inside one of these, `operator`,
   * `fold` and `constant` in expressions, `type` of a parameter.
   */
  readonly group: "declaration" | "statement" | "clause" | "modifier" | "operator" | "fold" | "constant" | "type";
  readonly doc: string;
}

const group = (group: Keyword["group"], docs: Readonly<Record<string, string>>): Record<string, Keyword> =>
  Object.fromEntries(Object.entries(docs).map(([word, doc]) => [word, { group, doc }]));

export const KEYWORDS: Readonly<Record<string, Keyword>> = {
  ...group("declaration", {
    import: 'imports declarations from the standard library or another file: `import { top_k } from "std"`',
    const: "names a number, a condition, a text or a list: `const x = 1`",
    input: "a column that the calling program sets: `input green: f32`; in a test, its values",
    fn: "declares a function for expressions: `fn near(x: f32, best: f32) -> f32 = x / best`",
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
    stop: 'ends the text with the picked token: `stop when cond as "name"`; in a test, the name of the stop that ends it',
    write: 'comes next, whatever the chain would pick, where a condition begins to hold: `write "text" when cond`',
    after: "`after pick { ... }` assigns the next values of states",
  }),
  ...group("clause", {
    logits: "the candidates' logits, one for each token; as the type of an input, the logits of another sequence",
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
    when: 'the condition that ends the text, `stop when cond as "name"`, or begins one of the program, `write "text" when cond`',
    as: "the name of an import in this file: `import { a as b }`; the name of a stop",
    from: "the file that is imported",
    sparse: "an input with values for at most 64 tokens, 0 for all others: `sparse(64) = 0`",
    static: "the parameter is known at compile time; it can determine the table's size",
    host: "a stage that runs llama.cpp's own CPU sampler",
    in: "`token in set`: whether the token is in the set; the range of a parameter: `in [0, 1]`; the values of a counter: `sum i in 1..8: expr`",
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
    tokens:
      "a set of tokens, as in `tokens(1, 2)`; as the type of an input, a text; in a test, the tokens picked, one for each step",
  }),
  ...group("operator", {
    and: "both conditions hold",
    or: "one of the conditions holds",
    not: "the condition does not hold",
  }),
  ...group("fold", {
    sum: "the sum of the values of an expression for each value of a counter: `sum i in 1..8: expr`",
    min: "the smallest value of an expression: `min i in 1..8: expr`",
    max: "the largest value of an expression: `max i in 1..8: expr`",
    any: "whether a condition holds for a value of a counter: `any i in 1..8: cond`",
    all: "whether a condition holds for all values of a counter: `all i in 1..8: cond`",
    repeat:
      "a value after a number of rounds: `repeat 40 with x = init: expr`, `repeat i in 1..40 with x = init: expr`",
    with: "the value that changes with each round: `repeat 40 with x = init: expr`",
  }),
  ...group("constant", { true: "a condition that holds", false: "a condition that does not hold", inf: "infinity" }),
  ...group("type", {
    f32: "a number",
    i32: "an integer",
    bool: "a condition",
    seed: "the seed of a stream of random numbers",
    text: "a text, known at compile time; in a test, the text so far",
    grammar: "a grammar that is given with the request; without one, its default, a text",
    phrases:
      'texts and regular expressions that must not be written, which can change with the request: `phrases("a test", /so on/)`',
    list: "a list of texts, token ids and lists of token ids, known at compile time",
  }),
};

/**
 * Words and marks of other languages and tools, and what is written here instead: the only table of them. The diagnostics of the
 * places where they are found take their help, and a fix where one word replaces the other.
 */

export interface Foreign {
  readonly help: string;
  /** What replaces the word or mark alone. */
  readonly text?: string;
}

export type ForeignTable = Readonly<Record<string, Foreign>>;

/** The same help for several words. */
const each = (words: string, help: string): Record<string, Foreign> =>
  Object.fromEntries(words.split(" ").map((word) => [word, { help }]));

/** Words that another one replaces, as in `ln: "log"`. */
const renamed = (words: Readonly<Record<string, string>>): Record<string, Foreign> =>
  Object.fromEntries(Object.entries(words).map(([word, text]) => [word, { help: `write \`${text}\``, text }]));

/** The entry of a word; a table's prototype has none. */
export const foreign = (table: ForeignTable, word: string): Foreign | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

const CHOICE = "`condition ? a : b` chooses between two values";
const ALL_ROWS = "a statement is for all rows at once, and reductions such as `sum` and `any` are over all rows";
const FOLD = `${ALL_ROWS}; \`sum i in 1..8: expr\` and \`repeat\` are loops of a fixed length`;
const LET =
  "`let x = expr` declares a column or a scalar, without a type, and `state` a number that is kept from token to token";
const DECLARE =
  "a function is declared with `fn name(x: f32) -> f32 = ...`, a sampler with `sampler name(parameters) { ... }`";
const STOP = "`keep` drops rows, and `if` decides which statements apply";
const KEEP = "`keep` names the rows that stay, as in `keep prob > 0.1`";
const DROP = "`keep` names the rows that stay, as in `keep not (token == 3)`";
const RETURN =
  "a sampler changes the table: `keep` drops rows, `logit = ...` changes logits, `pick` chooses the token; a function ends with its result";
const TOP = "`top k` keeps the `k` best rows";
const MEASURE = "`measure name = expr` reports a number with each token";

/** Words that begin a statement or a declaration. */
export const STATEMENTS: ForeignTable = {
  ...each("for foreach loop", FOLD),
  ...each("while until do", FOLD),
  ...each("return yield", RETURN),
  ...each("break continue pass exit", STOP),
  ...each("drop remove delete ban exclude reject", DROP),
  ...each("filter select where retain require assert", KEEP),
  ...each("limit take head topk", TOP),
  ...each(
    "var val mut auto local my int float double number uint bool i64 f64 f16 u32 vec2 vec3 vec4 float32 int32",
    LET,
  ),
  ...each("f32 i32", LET),
  ...each("set assign", "`logit = ...` assigns logits, and `let` declares a column or a scalar"),
  ...each("print println printf log console echo debug", MEASURE),
  ...each("def function func fun void proc lambda", DECLARE),
  ...each("class struct enum type interface", DECLARE),
  ...each("uniform attribute varying param parameter", "a uniform is a parameter: `sampler s(t: f32 = 1) { ... }`"),
  ...each("global static_assert nonlocal", LET),
  ...each("elif elsif elseif elsf", "write `else if condition { ... }` after the `}` of the `if`"),
  ...each("unless", "write `if not (condition) { ... }`"),
  ...each("switch match case", "write `if a { ... } else if b { ... }`, or choose a value with `condition ? a : b`"),
  ...each(
    "order orderby arrange rank_by sorted",
    "`sort by expr` orders the rows, largest first; `sort by expr asc` smallest first",
  ),
  ...each("sample draw choose", "`pick sample(seed)` draws the token by its probability"),
  ...each(
    "use using include require_once from load",
    'declarations come from other files with `import { top_k } from "std"`',
  ),
  ...each("export public private module", "every declaration of a file can be imported"),
  ...each("pipeline", "`chain c = top_k(40) |> dist()` declares a chain"),
  ...each("try throw raise catch", "arithmetic is defined for all operands, and nothing is thrown"),
  ...each("async await new", "values are numbers and conditions: there are no objects, and nothing to wait for"),
  ...each("pub", "every declaration of a file can be imported"),
  ...each("shader kernel", DECLARE),
  ...each("goto", STOP),
  ...each("end endif fi begin then", "blocks are in braces: `if condition { ... }`"),
};

const COUNT = "`n` is the number of rows left, and `count(condition)` that of the rows where it holds";
const COLUMNS = "columns are combined by row, as in `a + b`";
const LOGARITHM = "`log` is the natural logarithm, `log2` the one of base 2";
const PICK = "`pick argmax(expr)` takes the row of the largest value; `x == max(x)` holds in it";
const NO_TRIGONOMETRY = "there are no trigonometric functions but `tanh`";
const DRAW = "`uniform(seed)` is one random number in (0, 1) for each token, `noise(seed)` one for each row";
const NO_CONVERSION = "numbers need no conversion: `floor`, `ceil` and `round` make integers";

/** Functions. */
export const FUNCTIONS: ForeignTable = {
  ...renamed({ ln: "log", logf: "log", loge: "log", average: "mean", avg: "mean", fabs: "abs", absolute: "abs" }),
  ...renamed({
    stddev: "std",
    stdev: "std",
    std_dev: "std",
    variance: "var",
    sd: "std",
    sgn: "sign",
    logistic: "sigmoid",
  }),
  ...renamed({ maximum: "max", minimum: "min", amax: "max", amin: "min", fmax: "max", fmin: "min", total: "sum" }),
  ...renamed({
    prefix_sum: "cumsum",
    cum_sum: "cumsum",
    cumulative: "cumsum",
    clip: "clamp",
    clamped: "clamp",
    floorf: "floor",
  }),
  ...renamed({
    lag: "prev",
    lead: "next",
    some: "any",
    every: "all",
    count_if: "count",
    logsoftmax: "log_softmax",
    expf: "exp",
  }),
  log10: { help: "write `log(x) / log(10)`" },
  log1p: { help: "write `log(1 + x)`" },
  expm1: { help: "write `exp(x) - 1`" },
  exp2: { help: "write `2 ^ x`" },
  exp10: { help: "write `10 ^ x`" },
  ...each("pow power powf", "write `x ^ y`"),
  ...each("square sqr", "write `x ^ 2`"),
  cbrt: { help: "write `x ^ (1 / 3)`" },
  ...each("rsqrt inversesqrt", "write `1 / sqrt(x)`"),
  ...each("mod fmod", "write `x % y`"),
  ...each("div divide idiv", "write `x / y`, or `floor(x / y)`"),
  ...each("fract frac", "write `x - floor(x)`"),
  ...each("trunc fix", "write `sign(x) * floor(abs(x))`"),
  ...each("relu", "write `max(x, 0)`"),
  ...each("softplus", "write `log(1 + exp(x))`"),
  ...each("logit_of logits_of", "write `log(p / (1 - p))`"),
  ...each("saturate", "write `clamp(x, 0, 1)`"),
  ...each("lerp mix", "write `a + (b - a) * t`"),
  ...each("step smoothstep heaviside", "write `x >= edge ? 1 : 0`"),
  ...each("where select iff ifelse if_else iif cond ternary case", CHOICE),
  ...each("isnan isinf isfinite is_nan nan_to_num", "no program produces a NaN or an infinity"),
  ...each("len length size numel count_rows rows nrow", COUNT),
  ...each("argmax argmin", PICK),
  ...each("argsort sorted sort_by order_by", "`sort by expr` orders the rows; after it `rank` is a row's place"),
  ...each("topk top_rows", "`top k by expr` keeps the `k` best rows"),
  ...each("range linspace arange", "a counter has a range, as in `sum i in 1..8: expr`; `rank` numbers sorted rows"),
  ...each("random rand randn rnd random_uniform runif", DRAW),
  ...each("sample multinomial choice categorical", "`pick sample(seed)` draws the token by its probability"),
  ...each("sin cos tan asin acos atan atan2 sinh cosh", NO_TRIGONOMETRY),
  ...each("logsumexp lse", "write `log(sum(exp(x)))`; `log_softmax(x)` is `x` less that"),
  ...each("prod product cumprod", "write `exp(sum(log(x)))` for positive numbers"),
  ...each("normalize", "write `x / sum(x)`"),
  ...each("vec2 vec3 vec4 mat2 mat3 mat4", "there are no vectors: a column has one number in each row"),
  ...each("norm", "write `sqrt(sum(x ^ 2))`"),
  ...each("dot", "write `sum(a * b)`"),
  ...each("median quantile percentile", "after `sort`, `rank` and `n` tell the place of a row, as in `rank * 2 < n`"),
  ...each("int float f32 i32 bool number to_f32 to_i32", NO_CONVERSION),
  ...each("log_prob logprob log_probs", "write `log(prob)`"),
  ...each("kl cross_entropy", "write it with `sum`, as in `sum(prob * (log(prob) - log(raw_prob)))`"),
  ...each("zeros ones full zip map filter reduce apply concat", `a value is computed for every row: ${COLUMNS}`),
  ...each("print", MEASURE),
  ...each("startswith endswith ends_in", '`ends_with("text")` asks whether the text so far ends so'),
  ...each("contains includes isin is_in", "write `token in tokens(1, 2)`"),
  ...each("log_base", LOGARITHM),
};

/** Names of values. */
export const NAMES: ForeignTable = {
  ...renamed({ True: "true", TRUE: "true", False: "false", FALSE: "false", yes: "true", no: "false" }),
  ...renamed({ infinity: "inf", Infinity: "inf", INFINITY: "inf", Inf: "inf", INF: "inf", infty: "inf" }),
  ...renamed({
    probability: "prob",
    probabilities: "prob",
    probs: "prob",
    logits: "logit",
    score: "logit",
    scores: "logit",
  }),
  ...renamed({
    id: "token",
    ids: "token",
    token_id: "token",
    tok: "token",
    tokens: "token",
    vocab_size: "vocab",
    n_vocab: "vocab",
  }),
  ...renamed({
    position: "step",
    n_past: "step",
    idx: "rank",
    index: "rank",
    row: "rank",
    len: "n",
    size: "n",
    count: "n",
  }),
  ...each("logprob log_prob logprobs log_probs", "write `log(prob)`"),
  ...each("None null nil undefined NULL void", "every number has a value: there is no word for none"),
  ...each("nan NaN NAN", "no program produces a NaN"),
  ...each("pi PI M_PI", "write 3.14159265"),
  ...each("tau TAU", "write 6.2831853, or declare a parameter: `sampler s(tau: f32 = 1) { ... }`"),
  ...each("e E M_E", "write `exp(1)`"),
  ...each("picked", "`picked(prob)` is a value in the picked row, inside `after pick`"),
  ...each("last", "`last(1)` is the last token of the text, `occurrences(64)` counts in it"),
  ...each("self this", "columns such as `prob` are named alone"),
  ...each("max min sum mean std", "write its argument in brackets, as in `max(prob)`"),
  ...each(
    "history context prompt_tokens last_token",
    "`last(1)` is the last token of the text, `occurrences(64)` counts in it",
  ),
  ...each("temperature", "a number that the caller sets is a parameter: `sampler s(temperature: f32 = 1) { ... }`"),
};

/** Words before a block. */
export const BLOCKS: ForeignTable = each("then do begin", "the statements of a block are in braces: `{ ... }`");

/** Words between two values, or before one. */
export const OPERATORS: ForeignTable = {
  ...renamed({ AND: "and", And: "and", OR: "or", Or: "or", NOT: "not", Not: "not", mod: "%", MOD: "%", div: "/" }),
  ...renamed({ is: "==", eq: "==", equals: "==", ne: "!=", gt: ">", lt: "<", ge: ">=", le: "<=", xor: "!=", IN: "in" }),
  ...each("then", CHOICE),
  ...each("if switch match case when", CHOICE),
  ...each("for foreach while", ALL_ROWS),
  ...each("as", NO_CONVERSION),
  ...each("lambda function", "there are no nameless functions: declare one with `fn name(x: f32) -> f32 = ...`"),
  ...each("descending ascending", "the order is `asc` or `desc`, as in `sort by expr asc`"),
};

/** Types of parameters. */
export const TYPES: ForeignTable = {
  ...renamed({
    float: "f32",
    double: "f32",
    number: "f32",
    f64: "f32",
    f16: "f32",
    float32: "f32",
    real: "f32",
    Float: "f32",
    num: "f32",
  }),
  ...renamed({
    int: "i32",
    integer: "i32",
    Int: "i32",
    u32: "i32",
    i64: "i32",
    uint: "i32",
    int32: "i32",
    usize: "i32",
  }),
  ...renamed({ boolean: "bool", Bool: "bool", string: "text", str: "text", String: "text", char: "text" }),
  ...renamed({ array: "list", List: "list", set: "tokens" }),
};

/** Stages of other tools. */
export const STAGES: ForeignTable = {
  ...renamed({
    temperature: "temp",
    nucleus: "top_p",
    typical_p: "typical",
    locally_typical: "typical",
    tfs: "tail_free",
  }),
  ...renamed({
    sample: "dist",
    multinomial: "dist",
    softmax: "dist",
    argmax: "greedy",
    best: "greedy",
    tfs_z: "tail_free",
  }),
  ...renamed({ repetition_penalty: "penalties", repeat_penalty: "penalties", presence_penalty: "penalties" }),
  ...renamed({ frequency_penalty: "penalties", penalty: "penalties", epsilon_cutoff: "epsilon", eta_cutoff: "eta" }),
  ...renamed({ dynatemp: "temp_ext", dynamic_temperature: "temp_ext", smoothing: "quadratic", grammar: "constrain" }),
  ...renamed({ json_schema: "constrain", regex: "constrain", bias: "logit_bias", ban: "bad_words", guidance: "cfg" }),
};

/** Marks, found where they are not allowed; longer ones first. */
export const MARKS: ForeignTable = {
  "===": { help: "`==` compares", text: "==" },
  "!==": { help: "`!=` compares", text: "!=" },
  "**=": { help: "write `logit = logit ^ x`" },
  "&&": { help: "write `and`", text: "and" },
  "||": { help: "write `or`", text: "or" },
  "**": { help: "write `^`", text: "^" },
  ":=": { help: "write `=`", text: "=" },
  "<>": { help: "write `!=`", text: "!=" },
  "=>": { help: "write `>=` to compare; there are no nameless functions", text: ">=" },
  "=<": { help: "write `<=`", text: "<=" },
  "%=": { help: "write `logit = logit % x`" },
  "^=": { help: "write `logit = logit ^ x`" },
  "++": { help: "write `+= 1`", text: "+= 1" },
  "--": { help: "write `-= 1`", text: "-= 1" },
  "<<": { help: "there are no shifts: write `x * 2 ^ k`" },
  ">>": { help: "there are no shifts: write `floor(x / 2 ^ k)`" },
  "->": { help: "it stands before the result's type of a function; stages are joined with `|>`" },
  "::": { help: 'names have no prefix: import them, as in `import { top_k } from "std"`' },
  "#": { help: "a comment begins with `//`", text: "//" },
  "'": { help: 'a text is in double quotes, as in `"std"`' },
  "`": { help: 'a text is in double quotes, as in `"std"`' },
  "!": { help: "write `not`", text: "not" },
  "&": { help: "conditions are joined with `and`" },
  "~": { help: "write `not` before a condition" },
  "@": { help: "sums of products are written as `sum(a * b)`" },
  $: { help: "names are written as they are, without a mark" },
};

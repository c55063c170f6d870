/** E03xx: types, shapes and rates of expressions. */
import { SEED_RANGE } from "../graph/param.js";
import type { Span } from "../source/source.js";
import { error, warning, type Diagnostic, type Extra } from "./diagnostic.js";
import { didYouMean } from "./names.js";
import { ofType } from "./params.js";

export function typeMismatch(span: Span, expected: string, found: string): Diagnostic {
  const help =
    expected === "a condition" && found === "a number"
      ? { help: "compare it, as in `x > 0`" }
      : expected === "a number" && found === "a condition"
        ? { help: "convert it with `condition ? 1 : 0`" }
        : {};
  return error("E0301", span, `expected ${expected}, found ${found}`, help);
}

export const mustBeScalar = (span: Span, what: string, isCondition: boolean, isAfterPick = false): Diagnostic =>
  error("E0302", span, `${what} must be a scalar, one value for the whole table`, {
    label: "this has a value for each row",
    help: isAfterPick
      ? "use picked(...), its value in the picked row"
      : isCondition
        ? "use any(...) or all(...)"
        : "use a reduction, such as max(...), sum(...) or mean(...)",
  });

export const mustBeColumn = (span: Span, what: string): Diagnostic =>
  error("E0303", span, `${what} must be a column, a value for each row`, {
    label: "this is one value for the whole table",
  });

/** `uniforms`: the parameters that the value depends on. */
const markStatic = (uniforms: readonly string[], whose: string): string | undefined =>
  uniforms.length === 0 ? undefined : `mark ${whose} ${uniforms.map((name) => `\`static ${name}\``).join(" and ")}`;

const staticFix = (params: readonly string[]): Pick<Extra, "fix"> =>
  params.length === 0 ? {} : { fix: { kind: "static", params } };

export const mustBeStatic = (span: Span, what: string, uniforms: readonly string[]): Diagnostic =>
  error("E0304", span, `${what} must be known at compile time`, {
    label: "this can change with every token",
    help: `it decides the table's size; ${markStatic(uniforms, "the parameter") ?? "use a constant or a `static` parameter"}`,
    ...staticFix(uniforms),
  });

export const staticNeedsStatic = (
  span: Span,
  param: string,
  sampler: string,
  uniforms: readonly string[],
): Diagnostic =>
  error("E0305", span, `\`${param}\` of \`${sampler}\` must be known at compile time`, {
    label: "this can change with every token",
    help: markStatic(uniforms, "the parameter") ?? "give a constant, or an expression of `static` parameters",
    ...staticFix(uniforms),
  });

export const mustBeWhole = (span: Span, what: string, found: string): Diagnostic =>
  error("E0313", span, `${what} must be an integer, found ${found}`, {
    help: "convert it with `round`, `floor` or `ceil`",
  });

export const notConstant = (span: Span, what: string): Diagnostic =>
  error("E0306", span, `${what} must be a constant`, {
    help: "numbers, `const` names and arithmetic on them are constants",
  });

export function wrongArgumentCount(
  span: Span,
  name: string,
  least: number,
  most: number,
  found: number,
  help: string | undefined,
): Diagnostic {
  const counts = most === 0 ? "no" : least === most ? `${most}` : `${least} or ${most}`;
  const message = `\`${name}\` takes ${counts} argument${most === 1 ? "" : "s"}, found ${found}`;
  return error("E0307", span, message, help === undefined ? {} : { help });
}

/** `named` are the arguments that do have names. */
export const namedBuiltinArgument = (span: Span, name: string, named: readonly string[]): Diagnostic =>
  error("E0308", span, `\`${name}\` takes its arguments by position`, {
    help:
      named.length === 0
        ? "leave out the name"
        : `leave out the name; only ${named.map((n) => `\`${n}\``).join(" and ")} has one`,
  });

export const sourceExpected = (span: Span, name: string | undefined, texts: readonly string[]): Diagnostic =>
  error("E0356", span, `expected a text: ${texts.map((text) => `\`${text}\``).join(", ")}`, {
    help: "as in `occurrences(64, in: generated)`; a text of the calling program is an input: `input source: tokens(512)`",
    ...(name !== undefined && didYouMean(span, name, texts)),
  });

export const textIsNoValue = (span: Span, name: string): Diagnostic =>
  error("E0381", span, `\`${name}\` is a text, not a value`, {
    label: "token ids that the calling program gives",
    help: `count in it: \`occurrences(64, in: ${name})\` or \`repeat_len(64, in: ${name})\``,
  });

export const windowUnknown = (span: Span): Diagnostic =>
  error("E0357", span, "the window must be known before the graph runs", {
    help: "use numbers, parameters, states, `step` and what the text ends with",
  });

export const runtimeOrder = (span: Span, what: string, condition: Span): Diagnostic =>
  error("E0309", span, `\`${what}\` under a condition that is only known at run time`, {
    label: "the order of rows must be the same for every token",
    notes: [{ message: "this condition can change with every token", span: condition }],
    help: "use a `static` parameter or a constant as the condition, or move it out of the `if`",
  });

/** `isStale`: the rows were sorted by logits that have changed since. */
export const noPresentOrder = (span: Span, name: string, isStale = false): Diagnostic =>
  error("E0310", span, `\`${name}\` needs sorted rows`, {
    ...(isStale && { label: "the logits have changed since a stage has sorted the rows by them" }),
    help: "put `sort` or `top` before it, or a stage that sorts before this one, such as `top_k`; `sort by token asc` costs nothing where no stage has sorted the rows",
    fix: { kind: "sort" },
  });

export const sumsUnsorted = (span: Span, name: string): Diagnostic =>
  warning("W0301", span, `\`${name}\` of rows that are not known to be sorted`, {
    label: "it adds in the order of the stages before, at first that of token ids",
    help: "put `sort` before it; if the order of token ids is meant, `sort by token asc`, which costs nothing where no stage has sorted the rows",
    fix: { kind: "sort" },
  });

export const textHere = (span: Span, what: string): Diagnostic =>
  error("E0311", span, `${what} cannot be used in an expression`, {
    help: "texts and lists can only be arguments and constants",
  });

export const notASeed = (span: Span): Diagnostic =>
  error("E0312", span, "expected a seed", {
    help: `a parameter of type \`seed\`, ${SEED_RANGE}, or \`random\``,
  });

export const textExpected = (span: Span, isList: boolean): Diagnostic =>
  error("E0314", span, isList ? 'expected texts, as in `["\\n", ":"]`' : "expected a text in quotes");

export const pickedTooEarly = (span: Span): Diagnostic =>
  error("E0315", span, "`picked` before the token is picked", {
    help: "use it after `pick`, in a `measure` or inside `after pick { ... }`; the last token of the text so far is `last(1)`",
  });

export const pickedWithoutPick = (span: Span): Diagnostic =>
  error("E0322", span, "`picked` in a sampler that does not pick", {
    label: "only the sampler that picks the token knows the picked row",
    help: "in `after pick` and `stop when`, `picked(token)`, `picked(raw_logit)` and `picked(raw_prob)` are those of the chain's pick; for others pick in this sampler, with `pick sample(seed)` or `pick argmax(logit)`",
  });

export const inputOfType = (span: Span, type: string): Diagnostic =>
  error("E0316", span, `an input cannot be ${ofType(type)}`, {
    help: "an input is a column of `f32`, `i32` or `bool`, the `logits` of another sequence, or a text, as in `tokens(512)`",
  });

export const textWithoutSize = (span: Span, name: string): Diagnostic =>
  error("E0382", span, `the text \`${name}\` needs its largest number of tokens`, {
    label: "the number is missing",
    help: `write \`${name}: tokens(512)\``,
  });

export const sparseText = (span: Span, name: string): Diagnostic =>
  error("E0383", span, "a text cannot be sparse", {
    label: "it is a list of tokens, not a column",
    help: `declare it as \`input ${name}: tokens(512)\``,
  });

export const sparseGuide = (span: Span, name: string): Diagnostic =>
  error("E0380", span, "the logits of another sequence cannot be sparse", {
    label: "a model gives a logit for every token",
    help: `declare it as \`input ${name}: logits\`, or as an \`f32\` if the calling program feeds it`,
  });

export const stateOfType = (span: Span, type: string): Diagnostic =>
  error("E0317", span, `a state cannot be ${ofType(type)}`, { help: "a state is an `f32`, an `i32` or a `bool`" });

export const notKnownBefore = (span: Span): Diagnostic =>
  error("E0318", span, "the initial value of a state must be known before the first token", {
    label: "this depends on the candidates",
    help: "use constants and parameters",
  });

export const drawIndexUnknown = (span: Span): Diagnostic =>
  error("E0319", span, "the draw index must be known before the graph runs", {
    help: "use numbers, parameters, states, `step` and what the text ends with",
  });

export const countTooLarge = (span: Span, what: string, limit: number, found: number): Diagnostic =>
  error("E0320", span, `${what} must be at most ${limit}, found ${found}`);

export const windowTooSmall = (span: Span, what: string, found: number): Diagnostic =>
  error("E0323", span, `${what} must be a number of tokens, or -1 for all of them, found ${found}`);

/** `one`: what 1 is. */
export const positionTooSmall = (span: Span, what: string, found: number, one = "the last token"): Diagnostic =>
  error("E0350", span, `${what} must be at least 1, found ${found}`, { help: `1 is ${one}` });

export const endingExpected = (span: Span): Diagnostic =>
  error("E0351", span, "expected a text in quotes or a list of token ids", {
    help: 'as in `ends_with("\\n")` or `ends_with([13, 10])`',
  });

export const endingEmpty = (span: Span, name: string): Diagnostic =>
  error("E0352", span, `\`${name}\` needs at least one character or token id`, {
    label: "this is empty",
  });

export const sequencesExpected = (span: Span): Diagnostic =>
  error("E0354", span, "expected a list of texts, token ids and lists of token ids", {
    help: 'as in `[" New York", 13, [5, 7]]`',
  });

export const nestedList = (span: Span, what: string): Diagnostic =>
  error("E0355", span, `${what} has texts and token ids, not lists`, {
    help: "only `completes` takes sequences of tokens",
  });

export const notATokenId = (span: Span, found: string): Diagnostic =>
  error("E0353", span, `a token id must be an integer from 0 to ${2 ** 31 - 1}, found ${found}`);

/** `size` is the size that is not allowed, as in "more than 4096 parts". */
export const formulaTooLarge = (span: Span, name: string, size: string): Diagnostic =>
  error("E0321", span, `\`${name}\` needs a uniform expression of ${size}`, {
    help: "a `let` that uses another one twice doubles the expression; simplify it",
  });

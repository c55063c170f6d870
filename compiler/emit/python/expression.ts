/** Uniform expressions as Python expressions of numpy's float64, with the language's rules: each result saturates. */
import type { Ending, TokenItem, UniformExpr } from "../../graph/graph.js";
import { saturate, type UniformOp } from "../../graph/uniformOps.js";

type Write = (...operands: string[]) => string;

const condition = (test: string): string => `float(${test})`;

/** The operations, as `graph/uniformOps.ts` defines them. */
const OPERATIONS: Readonly<Record<UniformOp, Write>> = {
  add: (x, y) => `${x} + ${y}`,
  sub: (x, y) => `${x} - ${y}`,
  mul: (x, y) => `${x} * ${y}`,
  div: (x, y) => `${x} / _divisor(${y})`,
  mod: (x, y) => `_mod(${x}, ${y})`,
  pow: (x, y) => `_pow(${x}, ${y})`,
  min: (x, y) => `min(${x}, ${y})`,
  max: (x, y) => `max(${x}, ${y})`,
  neg: (x) => `-${x}`,
  abs: (x) => `abs(${x})`,
  sign: (x) => `np.sign(${x})`,
  exp: (x) => `np.exp(${x})`,
  log: (x) => `np.log(max(${x}, 0.0))`,
  log2: (x) => `np.log2(max(${x}, 0.0))`,
  sqrt: (x) => `np.sqrt(max(${x}, 0.0))`,
  floor: (x) => `np.floor(${x})`,
  ceil: (x) => `np.ceil(${x})`,
  round: (x) => `np.sign(${x}) * np.floor(abs(${x}) + 0.5)`,
  sigmoid: (x) => `1.0 / (1.0 + np.exp(-${x}))`,
  tanh: (x) => `np.tanh(${x})`,
  f32: (x) => `np.float64(np.float32(${x}))`,
  above: (x) => `_next(${x}, 1.0)`,
  below: (x) => `_next(${x}, -1.0)`,
  gt: (x, y) => condition(`${x} > ${y}`),
  ge: (x, y) => condition(`${x} >= ${y}`),
  eq: (x, y) => condition(`${x} == ${y}`),
  and: (x, y) => condition(`${x} != 0.0 and ${y} != 0.0`),
  or: (x, y) => condition(`${x} != 0.0 or ${y} != 0.0`),
  not: (x) => condition(`${x} == 0.0`),
  select: (c, x, y) => `${x} if ${c} != 0.0 else ${y}`,
  hash: (x, key) => `_hash(${x}, ${key})`,
  clamp: (x, lo, hi) => `min(max(${x}, ${lo}), ${hi})`,
};

/** An expression in a method of the class `Sequence`, which has the parameters, draws, states and the text so far. */
export function expressionText(expr: UniformExpr): string {
  if (typeof expr === "number") return numberText(saturate(expr));
  if (expr === "step") return "float(self.step)";
  if (expr === "vocab") return "float(vocab)";
  if (expr === "prompt_length") return "float(self.prompt_length)";
  if ("param" in expr) return `_saturate(self.params[${stringText(expr.param)}])`;
  if ("draw" in expr) return `self._draw_${expr.draw}(vocab)`;
  if ("state" in expr) return `_saturate(self.states[${expr.state}])`;
  if ("window" in expr) return `_saturate(self._window(${expr.window}, "${expr.of}"))`;
  if ("last" in expr) return `self._last(${expr.last})`;
  if ("ends_with" in expr) return condition(`self._since(${endingText(expr.ends_with)}) == 0.0`);
  if ("since" in expr) return `self._since(${endingText(expr.since)})`;
  if ("in_rule" in expr) throw new TypeError("a rule of a grammar in a program without grammars");
  if ("member" in expr) return condition(`(${expressionText(expr.member)}) in self.sets[${expr.of}]`);
  const [op, ...operands] = expr;
  return `_saturate(${OPERATIONS[op](...operands.map((operand) => `(${expressionText(operand)})`))})`;
}

/** A number that Python reads as a float: an integer without a dot would have any size. */
export function numberText(value: number): string {
  if (Number.isNaN(value)) return 'float("nan")';
  if (!Number.isFinite(value)) return value > 0 ? 'float("inf")' : 'float("-inf")';
  const text = Object.is(value, -0) ? "-0.0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** A tuple of integers. */
export const tupleText = (values: readonly number[]): string =>
  values.length === 1 ? `(${values[0]},)` : `(${values.join(", ")})`;

/** A text as Python's literal of it. */
export const stringText = (text: string): string => `"${Array.from(text, characterText).join("")}"`;

function characterText(character: string): string {
  if (character === '"' || character === "\\") return `\\${character}`;
  const code = character.codePointAt(0)!;
  return code >= 32 && code < 127 ? character : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** A text is compared as bytes. */
export const endingText = (ending: Ending): string =>
  typeof ending === "string" ? `${stringText(ending)}.encode()` : tupleText(ending);

/** The token ids among the items of a set; undefined if there are others, which only a vocabulary knows. */
export const idsOf = (items: readonly TokenItem[]): readonly number[] | undefined =>
  items.every((item) => typeof item === "number") ? items : undefined;

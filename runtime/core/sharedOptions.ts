/** Checks of the options that several public functions share. */
import type { CompileOptions } from "@ggsl/compiler/driver.js";
import { LIMITS } from "@ggsl/compiler/limits/format.js";
import { limitsOf, type LimitOptions } from "@ggsl/compiler/limits/limits.js";
import { OptionError } from "@ggsl/compiler/core/optionError.js";
import type { Graph } from "@ggsl/compiler/graph/graph.js";
import { isSeed, SEED_RANGE } from "@ggsl/compiler/graph/param.js";
import { specFaults, toSpec } from "@ggsl/compiler/graph/json.js";
import * as is from "./check.js";
import type { Check } from "./check.js";
import { invalid } from "./errors.js";

/** Ids that a vocabulary can have. */
const MAX_TOKEN = 2 ** 31 - 1;
export const MAX_VOCAB = LIMITS.dim;

/** A number, which may be infinite or NaN: what it means is checked where it is used. */
export const someNumber = is.that("a number", (value) => typeof value === "number");
/** A seed of draws. */
export const seed = is.that(SEED_RANGE, (value) => typeof value === "number" && isSeed(value));
export const finite = is.that("a finite number", Number.isFinite);

/** Token ids and texts; which are tokens is checked where they are used. */
const isItem = (item: unknown): boolean =>
  typeof item === "string" || (typeof item === "object" && item !== null && !Array.isArray(item));
const tokenItems = is.listOf(
  "a list of token ids and texts",
  is.either("a token id or a text", is.integer(0, MAX_TOKEN), is.text),
);

export const uniformValues = is.recordOf(
  "an object of values by name",
  is.either(
    "a number, a boolean, a list of token ids and texts, phrases, or a grammar",
    is.that("a number or a boolean", (value) => typeof value === "number" || typeof value === "boolean"),
    is.that("nothing, as an absent name", (value) => value === undefined),
    tokenItems,
    // their forms are checked for a parameter that is one
    is.that("phrases", (value) => Array.isArray(value) && value.every(isItem)),
    is.that("a grammar", (value) => typeof value === "object" && value !== null && !Array.isArray(value)),
  ),
);

export const tokenList = (most = MAX_TOKEN): Check => is.listOf("a list of tokens", is.integer(0, most));

const someTokens = is.that("a text or an Int32Array of tokens", (value) => is.isArrayOf("Int32Array", value));
/** A text, or tokens of a vocabulary. */
export const prompt =
  (vocabSize: number): Check =>
  (value, name) => {
    if (typeof value === "string") return;
    someTokens(value, name);
    tokenList(vocabSize - 1)(value, name);
  };

const numberList = is.listOf("a Float32Array or a list of numbers", someNumber);
export const logitList: Check = (value, name) => {
  if (!is.isArrayOf("Float32Array", value)) numberList(value, name);
};

export const device = is.either("a device's number or name", is.integer(0), is.text);

export const signal = is.that("an AbortSignal", (value) => {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
});

/** Graphs that were checked: a graph does not change, and one chain can have many evaluators. */
const checked = new WeakSet<object>();

/** A graph of the compiler, or one that a caller has made or changed. */
export const graph: Check = (value, name) => {
  is.someObject(value, name);
  if (checked.has(value as object)) return;
  const [fault] = specFaults(toSpec(value as Graph));
  if (fault !== undefined) throw invalid(`\`${name}\` must be a valid graph: ${fault}`);
  checked.add(value as object);
};

const someChain = is.that(
  "a chain from `compile`, `compilePipeline` or `chainOf`",
  (value) => typeof (value as { readonly graph?: unknown } | null | undefined)?.graph === "object",
);
export const chain: Check = (value, name) => {
  someChain(value, name);
  graph((value as { readonly graph: unknown }).graph, `${name}.graph`);
};

const limits: Check = (value, name) => {
  try {
    limitsOf(value as LimitOptions);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
    throw invalid(`\`${name}\`: ${error.message}`, error);
  }
};

const COMPILE: Readonly<Record<keyof Required<CompileOptions>, Check>> = {
  file: is.text,
  chain: is.text,
  set: is.recordOf(
    "an object of numbers by name",
    is.either("a number, or a list of token ids and texts", someNumber, tokenItems),
  ),
  constrained: is.flag,
  trace: is.flag,
  importer: is.callback,
  outputs: is.listOf("a list of outputs", is.oneOf("sampled", "candidates", "logits", "probs")),
  optimize: is.flag,
  disable: is.listOf("a list of optimizations", is.text),
  limits,
};
export const compileOptions = is.options(COMPILE);

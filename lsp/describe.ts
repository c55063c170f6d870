/** Descriptions of names in Markdown. */
import { argsOf, countsOf, type ArgType } from "@ggsl/compiler/builtins/builtin.js";
import { FUNCTIONS, NAMES } from "@ggsl/compiler/builtins/builtins.js";
import { TAIL_SAMPLERS } from "@ggsl/compiler/llama/samplers.js";
import type { TokenClass } from "@ggsl/compiler/graph/sets.js";
import type { Meaning, Type } from "@ggsl/compiler/check/tree.js";
import type { Param } from "@ggsl/compiler/syntax/ast.js";
import type { Span } from "@ggsl/compiler/source/source.js";
import type { StageFacts } from "./analysis.js";

export const textOf = ({ source, start, end }: Span): string => source.text.slice(start, end);

const code = (text: string): string => `\`\`\`ggsl\n${text}\n\`\`\``;

/** `f32 column`, `i32 scalar, static`. */
const typeText = ({ type, shape, rate }: Type): string =>
  type === "error" ? "unknown" : shape === "column" ? `${type}, a column` : `${type}, a scalar, ${RATES[rate]}`;

const RATES: Readonly<Record<Type["rate"], string>> = {
  static: "known when compiling",
  uniform: "a uniform",
  runtime: "known at run time",
};

/** `name(params)` as declared. */
export const headOf = (name: string, params: readonly Param[]): string =>
  `${name}(${params.map(({ span }) => textOf(span).replace(/\s+/g, " ")).join(", ")})`;

/** The words for texts. */
const TEXTS: Readonly<Record<string, string>> = {
  all: "The text so far, prompt included.",
  prompt: "The prompt.",
  generated: "What was generated so far, without the prompt.",
};

const CLASSES: Readonly<Record<TokenClass, string>> = {
  control: "The set of llama.cpp's control tokens.",
  end: "The set of the tokens that end a text.",
};

const WORDS: Readonly<Partial<Record<ArgType, string>>> = {
  window: "number",
  position: "number",
  span: "number",
  index: "number",
  ofPickedRow: "number",
  ending: "text or list",
  sequences: "list",
  source: "a text",
};

/** The argument types of a builtin in words. */
export const argumentWords = (name: string): string[] =>
  argsOf(FUNCTIONS[name]!).map(([, type]) => WORDS[type] ?? type);

/** The result type of a builtin in a word. */
export function resultWord(name: string): string {
  const { result } = FUNCTIONS[name]!;
  return result === "number" || result === "argument" ? "f32" : result;
}

/** A call of a builtin: `clamp(number, number, number)`. */
export function functionHead(name: string): string {
  const shown = argumentWords(name).map((arg, i) => (i < countsOf(FUNCTIONS[name]!).least ? arg : `[${arg}]`));
  const named = Object.entries(FUNCTIONS[name]!.named ?? {}).map(([arg, type]) => `[${arg}: ${WORDS[type] ?? type}]`);
  return `${name}(${[...shown, ...named].join(", ")}) -> ${resultWord(name)}`;
}

export const tailHead = (name: string): string =>
  `host ${name}(${Object.entries(TAIL_SAMPLERS[name]!.params)
    .map(([param, { type }]) => `${param}: ${type}`)
    .join(", ")})`;

export function describe(text: string, meaning: Meaning): string {
  switch (meaning.kind) {
    case "fn":
    case "sampler":
    case "chain": {
      const { declaration } = meaning.binding;
      const params = "params" in declaration ? declaration.params : [];
      const result = declaration.kind === "fn" ? ` -> ${declaration.type}` : "";
      const docs = params.flatMap(({ name, doc }) => (doc === undefined ? [] : [`- \`${name.text}\`: ${doc}`]));
      return paragraphs(
        code(`${meaning.kind} ${headOf(text, params)}${result}`),
        "doc" in declaration ? declaration.doc : "",
        docs.join("\n"),
      );
    }
    case "const":
    case "input": {
      const { declaration } = meaning.binding;
      return paragraphs(code(textOf(declaration.span).replace(/^(?:\s*\/\/.*\n)*\s*/, "")), declaration.doc);
    }
    case "parameter":
      return describeParameter(meaning.param);
    case "let":
      return paragraphs(code(`let ${text}`), typeText(meaning.type));
    case "counter":
      return paragraphs(code(text), "A counter: an integer known when compiling.");
    case "repeated":
      return paragraphs(code(text), `The value that changes with each round; ${typeText(meaning.type)}`);
    case "state":
      return paragraphs(code(`state ${text}: ${meaning.type.type}`), "A state, which the sequence remembers.");
    case "measure":
      return paragraphs(code(`measure ${text}`), "A measure: a number that is reported with each token.");
    case "text":
      return paragraphs(code(`in: ${text}`), TEXTS[text]);
    case "tokenClass":
      return paragraphs(code(`tokens.${meaning.name}`), CLASSES[meaning.name]);
    case "column": {
      const { doc, type, shape, rate } = NAMES[text]!;
      return paragraphs(
        code(`${text}: ${type}`),
        `${doc}; ${shape === "column" ? "a column" : `a scalar, ${RATES[rate]}`}`,
      );
    }
    case "function":
      return paragraphs(code(functionHead(text)), FUNCTIONS[text]!.doc);
    case "seed":
      return paragraphs(code("random"), "A seed that is new on every run, unless the run sets one.");
    case "host":
      return paragraphs(code(tailHead(text)), "llama.cpp's own CPU sampler, on the rows that come back to the host.");
    case "tailParameter":
      return code(`${text}: ${TAIL_SAMPLERS[meaning.stage]!.params[text]!.type}`);
  }
}

function describeParameter(param: Param): string {
  const range = param.range ? `, ${textOf(param.range.span)}` : "";
  const size = param.size ? `, at most ${textOf(param.size.span)}` : "";
  const rate = param.isStatic ? "static: known when compiling" : "a uniform: it may change on every token";
  return paragraphs(code(textOf(param.span).replace(/\s+/g, " ")), `${param.type}${range}${size}; ${rate}`, param.doc);
}

/** Rows before and after, nodes, device. */
export const describeStage = ({ rowsBefore, rows, nodes, device }: StageFacts): string =>
  `rows: ${rowsBefore} → ${rows}; ${nodes} node${nodes === 1 ? "" : "s"} of the graph; runs on ${
    device === "host" ? "the host" : "the device that holds the logits"
  }`;

export const paragraphs = (...parts: readonly (string | undefined)[]): string =>
  parts.filter((part) => part !== undefined && part !== "").join("\n\n");

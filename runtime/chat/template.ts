/** Templates: found in a model's metadata, parsed, rendered within limits. */
import { show } from "@ggsl/compiler/core/show.js";
import { InputError } from "../core/errors.js";
import type { ModelInfo } from "../backends/native/binding.js";
import { analyze, type Analysis } from "./analysis.js";
import { interpreterOf } from "./interpreter.js";
import type { Environment, Jinja, Program, Token } from "./jinja.js";
import { Budget, checkLimit, NotHere } from "./limits.js";
import type { Forms } from "./messages.js";
import { describeTag, faultyTag, placesOf, tagsOf, type Tag } from "./places.js";
import { strftime } from "./strftime.js";
import { greatest } from "@ggsl/compiler/core/extremes.js";

const KEY = "tokenizer.chat_template";

/** The names of a model's further templates, such as `tool_use`. */
const variantsOf = (metadata: ModelInfo["metadata"]): string[] =>
  Object.keys(metadata).flatMap((key) => (key.startsWith(`${KEY}.`) ? [key.slice(KEY.length + 1)] : []));

/**
 * The text of the template to use: `given`, which is a template or the name of one of the model's, or else the model's. With tools
 * it is the one named `tool_use`, if there is one.
 */
export function findTemplate(metadata: ModelInfo["metadata"], given: string | undefined, hasTools: boolean): string {
  const variants = variantsOf(metadata);
  if (given !== undefined && /\{[{%]/.test(given)) return given;
  if (given !== undefined) {
    const named = given === "default" ? metadata[KEY] : metadata[`${KEY}.${given}`];
    if (named !== undefined) return named;
    const known = variants.length > 0 ? `its templates are ${variants.join(", ")}` : "it has no named templates";
    throw new InputError(
      `\`template\` must be a Jinja template, or the name of one of the model's, found ${show(given)}: ${known}`,
      { code: "INVALID_TEMPLATE" },
    );
  }
  const found = (hasTools ? metadata[`${KEY}.tool_use`] : undefined) ?? metadata[KEY];
  if (found !== undefined) return found;
  throw new InputError(
    `the model has no chat template (${KEY}): it may not be an instruct model; give one with \`template\` (ggsl: --template FILE)`,
    { code: "NO_TEMPLATE" },
  );
}

interface Template {
  readonly source: string;
  /** Throws `InputError`; `NotHere` if the budget is not final. */
  readonly render: (variables: Readonly<Record<string, unknown>>, now: Date, budget: Budget) => string;
  /** Determined on first use, which takes steps of the budget; each part has all steps if it is final. Throws `NotHere`. */
  readonly forms: (budget: Budget) => Forms;
}

/** Templates of the latest models. */
const known = new Map<string, Template>();
const MAX_KNOWN = 8;

/** A template's parsed form. Throws `InputError` (INVALID_TEMPLATE, LIMIT_EXCEEDED). */
export function openTemplate(jinja: Jinja, source: string): Template {
  const present = known.get(source);
  if (present) return present;
  const { program, analysis, tags } = parse(jinja, source);
  let forms: Forms | undefined;
  const render: Template["render"] = (variables, now, budget) => {
    const { run, fault } = interpreterOf(jinja, globals(jinja, variables, now), analysis, budget);
    try {
      return run(program);
    } catch (error) {
      if (error instanceof NotHere || (error instanceof RangeError && !budget.isFinal)) throw new NotHere();
      const { error: latest, place } = fault() ?? {};
      throw failure(error, latest === error && place !== undefined ? tags[place] : undefined);
    }
  };
  let isSlow = false;
  const template: Template = {
    source,
    render,
    forms(budget) {
      if (forms) return forms;
      if (isSlow && !budget.isFinal) throw new NotHere();
      isSlow = !budget.isFinal;
      forms = formsOf(source, render, budget);
      return forms;
    },
  };
  known.set(source, template);
  for (const first of [...known.keys()].slice(0, -MAX_KNOWN)) known.delete(first);
  return template;
}

function parse(jinja: Jinja, source: string): { program: Program; analysis: Analysis; tags: readonly Tag[] } {
  const blanks = source.match(/\s+/g) ?? [];
  try {
    checkLimit("source", source.length);
    checkLimit(
      "blank",
      greatest(
        blanks.map(({ length }) => length),
        0,
      ),
    );
  } catch (error) {
    throw failure(error);
  }
  const tags = tagsOf(source);
  const tokenize = (text: string): Token[] => jinja.tokenize(text, { lstrip_blocks: true, trim_blocks: true });
  let tokens: Token[];
  try {
    tokens = tokenize(source);
  } catch (error) {
    throw invalid(error, tags[faultyTag(source, tags, tokenize)]);
  }
  let read = 0;
  const watched = new Proxy(tokens, {
    get(target, key) {
      if (typeof key === "string" && /^\d+$/.test(key)) read = Math.max(read, Number(key));
      return Reflect.get(target, key) as unknown;
    },
  });
  try {
    const program = jinja.parse(watched);
    return { program, analysis: analyze(program, placesOf(program, tokens)), tags };
  } catch (error) {
    const begun = tokens.slice(0, read + 1).filter(({ type }) => type === "OpenStatement" || type === "OpenExpression");
    throw invalid(error, tags[begun.length - 1]);
  }
}

/** A template called `raise_exception`. */
class Refusal extends Error {}

function globals({ Environment }: Jinja, variables: Readonly<Record<string, unknown>>, now: Date): Environment {
  const global = new Environment();
  for (const [name, value] of Object.entries({ ...constants(now), ...variables })) global.set(name, value);
  return global;
}

const constants = (now: Date): Record<string, unknown> => ({
  true: true,
  false: false,
  none: null,
  True: true,
  False: false,
  None: null,
  range,
  raise_exception: (message: unknown): never => {
    throw new Refusal(String(message));
  },
  strftime_now: (format: unknown) => strftime(now, String(format).slice(0, 100)),
  // of llama.cpp's programs
  datetime: strftime(now, "%b %d %Y"),
  date_string: strftime(now, "%d %b %Y"),
});

/** Names that the variables of a caller cannot have. */
export const RESERVED: ReadonlySet<string> = new Set([
  ...["true", "false", "none", "True", "False", "None", "range", "raise_exception", "strftime_now", "namespace"],
  ...["messages", "tools", "add_generation_prompt"],
]);

/** Python's. */
function range(first: number, last?: number, step = 1): number[] {
  const [from, to] = last === undefined ? [0, first] : [first, last];
  if (step === 0) throw new Error("range() needs a step that is not 0");
  const length = Math.max(0, Math.ceil((to - from) / step));
  checkLimit("list", length);
  return Array.from({ length }, (_, i) => from + i * step);
}

// ---------------------------------------------------------------- forms

/** A content with a thought in it, as some templates read it. */
const thinking = (thought: string): object[] => [
  { type: "thinking", thinking: thought },
  { type: "text", text: "a" },
];

const MARK = "GGSLMARK";
const variablesOf = (messages: readonly object[]): Record<string, unknown> => ({
  messages,
  tools: [],
  add_generation_prompt: true,
  bos_token: "",
  eos_token: "",
});

/** What a template reads: whether it shows a text in one form. */
function formsOf(source: string, render: Template["render"], budget: Budget): Forms {
  const shows = (messages: readonly object[]): boolean => {
    try {
      const text = render(variablesOf(messages), new Date(0), budget.isFinal ? new Budget() : budget);
      return text.includes(MARK) && !text.includes("[object ");
    } catch (error) {
      if (error instanceof NotHere) throw error;
      return false;
    }
  };
  const isText = shows([{ role: "user", content: MARK }]);
  const isParts = !isText && shows([{ role: "user", content: [{ type: "text", text: MARK }] }]);
  const content = (text: string): unknown => (isParts ? [{ type: "text", text }] : text);
  const asked = { role: "user", content: content("a") };
  const answer = (members: object): object => ({ role: "assistant", content: content(""), ...members });
  const call = (args: unknown): object[] => [
    asked,
    answer({ tool_calls: [{ id: "call00001", type: "function", function: { name: "f", arguments: args } }] }),
    { role: "tool", name: "f", tool_call_id: "call00001", content: content("b") },
    { role: "assistant", content: content("c") },
    { role: "user", content: content("d") },
  ];
  const isObject = shows(call({ a: MARK }));
  const system = [
    { role: "system", content: content(MARK) },
    { role: "user", content: content("a") },
  ];
  // each is tried only for templates that name it
  const hasParts = /==\s*['"]thinking['"]/.test(source) && shows([asked, answer({ content: thinking(MARK) })]);
  const withCall = (members: object): object[] => [asked, { ...call(isObject ? { a: "b" } : "{}")[1], ...members }];
  const thought = { reasoning_content: MARK, thinking: MARK };
  const isRefused =
    source.includes("raise_exception") &&
    /\.thinking\b/.test(source) &&
    shows(withCall({ content: content(""), ...thought })) &&
    !shows(withCall({ content: content("b"), ...thought }));
  return {
    thoughts: hasParts ? "parts" : "members",
    thoughtsBeside: !isRefused,
    // a template that shows nothing at all is left to its errors
    system: shows(system) || (!isText && !isParts),
    content: isParts ? "parts" : "text",
    arguments: isObject || !shows(call(`{"a": "${MARK}"}`)) ? "object" : "text",
  };
}

// ---------------------------------------------------------------- errors

const at = (tag: Tag | undefined): string => (tag ? ` in ${describeTag(tag)}` : "");

const invalid = (error: unknown, tag: Tag | undefined): InputError =>
  new InputError(`the chat template is not valid${at(tag)}: ${(error as Error).message}`, {
    code: "INVALID_TEMPLATE",
    cause: error,
  });

/** What a template threw while it ran. */
function failure(error: unknown, tag?: Tag): InputError {
  const { message } = error as Error;
  if (error instanceof Refusal)
    return new InputError(`the chat template refuses the conversation${at(tag)}: ${message}`, {
      code: "TEMPLATE_REFUSED",
    });
  const isLimit = error instanceof InputError && error.code === "LIMIT_EXCEEDED";
  // the stack, or the longest string of JavaScript
  if (isLimit || error instanceof RangeError)
    return new InputError(`the chat template is too costly${at(tag)}: ${message}`, {
      code: "LIMIT_EXCEEDED",
      cause: error,
    });
  return new InputError(`the chat template fails${at(tag)}: ${message}`, { code: "TEMPLATE_FAILED", cause: error });
}

/** The grammar that a request asks for: by `response_format`, or by a tool that must be called. */
import type { Tool } from "ggsl/chat/messages.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { Refusal } from "../refusal.js";
import type { ChatBody } from "./bodies.js";
import { parametersOf } from "ggsl/chat/calls/arguments.js";
import type { CallForm } from "ggsl/chat/calls/form.js";
import { constraintOf } from "./constraints.js";
import { callGrammar, callsFormat, freeGrammar } from "ggsl/chat/calls/grammar.js";

/** A grammar, and the field that asks for it. */
export interface AskedGrammar {
  readonly source: GrammarSource;
  readonly field: string;
  /** What it is made of, each with its field: what is wrong with the whole is wrong with one of them. */
  readonly parts?: readonly AskedPart[];
  /** The same without what the parts of these places ask for: the text need not obey those that cannot be enforced. */
  readonly without?: (places: ReadonlySet<number>) => AskedGrammar;
  /** Where the chain has no place for it, or it cannot be enforced, no grammar is taken. */
  readonly mayBeLeftOut?: boolean;
}

export interface AskedPart extends AskedGrammar {
  /** What messages call it. */
  readonly name: string;
}

/** @param form the model's form of calls, where tools are given */
export function grammarFor(body: ChatBody, form: CallForm | undefined): AskedGrammar | undefined {
  const called = calledTools(body);
  const format = askedFormat(body);
  if (!form) return format;
  if (!called) return format ? formatOrCalls(body, form, format) : autoGrammar(body, form);
  if (format)
    throw new Refusal(
      "invalid_request",
      `\`${format.field}\` asks for the form of the text, and \`tool_choice\` for a call of a tool: give one`,
      {
        param: "tool_choice",
      },
    );
  const source = callGrammar(form, called, body.schema_options);
  return { source, field: "tool_choice", parts: partsOf(body, called) };
}

/** Each tool's schema. */
const partsOf = ({ tools = [], schema_options: options }: ChatBody, called: readonly Tool[]): AskedPart[] =>
  called.map((tool) => ({
    source: { ...options, jsonSchema: parametersOf(tool) },
    field: `tools[${tools.indexOf(tool)}].function.parameters`,
    name: `the tool \`${tool.function.name}\``,
  }));

/** The tools, those of some places with any arguments. */
const loosened = (tools: readonly Tool[], places: ReadonlySet<number>): readonly Tool[] =>
  tools.map((tool, i) => (places.has(i) ? withAnyArguments(tool) : tool));

/** Text in which calls may come. */
function autoGrammar(body: ChatBody, form: CallForm): AskedGrammar | undefined {
  const { tools = [], schema_options: schema = {}, parallel_tool_calls: isParallel = true } = body;
  const asked = (given: readonly Tool[]): AskedGrammar | undefined => {
    const source = freeGrammar(form, given, { schema, isParallel });
    return source && { source, field: "tools", parts: partsOf(body, tools), mayBeLeftOut: true };
  };
  const whole = asked(tools);
  return whole && { ...whole, without: (places) => asked(loosened(tools, places))! };
}

/** Text of the format that is asked for, or calls in its place. */
function formatOrCalls(body: ChatBody, form: CallForm, format: AskedPart): AskedGrammar {
  const { tools = [], schema_options: schema = {}, parallel_tool_calls: isParallel = true } = body;
  const asked = (given: readonly Tool[]): AskedGrammar => {
    const calls = callsFormat(form, given, { schema, isParallel });
    const structuralTag = { type: "or", elements: [formOfTag(format.source), calls] };
    return { source: { structuralTag }, field: format.field, parts: [...partsOf(body, tools), format] };
  };
  return { ...asked(tools), without: (places) => asked(loosened(tools, places)) };
}

/** A grammar as a format of structural tags. */
function formOfTag(source: GrammarSource): object {
  if ("gbnf" in source) return { type: "grammar", grammar: source.gbnf };
  if ("regex" in source) return { type: "regex", pattern: source.regex };
  if ("choices" in source)
    return { type: "or", elements: source.choices.map((value) => ({ type: "const_string", value })) };
  if ("structuralTag" in source) {
    const { format } = source.structuralTag as { readonly format?: object };
    return format ?? source.structuralTag;
  }
  const { jsonSchema, ...options } = source;
  return { ...options, type: "json_schema", json_schema: jsonSchema };
}

const withAnyArguments = (tool: Tool): Tool => ({
  ...tool,
  function: { ...tool.function, parameters: { type: "object" } },
});

/** By OpenAI's field, or one of another tool. */
function askedFormat(body: ChatBody): AskedPart | undefined {
  const source = formatGrammar(body);
  const other = constraintOf(body);
  if (source && other)
    throw new Refusal(
      "invalid_request",
      `\`${other.field}\` and \`response_format\` both ask for a grammar: give one`,
      {
        param: other.field,
      },
    );
  const name = "the response";
  return source ? { source, field: "response_format", name } : other && { ...other, name };
}

function formatGrammar({ response_format: format, schema_options: options }: ChatBody): GrammarSource | undefined {
  if (!format || format.type === "text") return undefined;
  return { ...options, jsonSchema: format.type === "json_object" ? { type: "object" } : format.json_schema.schema };
}

/** The tools of which one must be called; undefined if none must. */
function calledTools({ tools = [], tool_choice: choice = "auto" }: ChatBody): readonly Tool[] | undefined {
  if (choice === "none" || choice === "auto") return undefined;
  if (tools.length === 0) throw new Refusal("invalid_request", "`tool_choice` needs `tools`", { param: "tool_choice" });
  if (choice === "required") return tools;
  const { name } = choice.function;
  const named = tools.filter((tool) => tool.function.name === name);
  if (named.length === 0)
    throw new Refusal(
      "invalid_request",
      `\`tool_choice\` names \`${name}\`, and the tools are ${tools.map((tool) => `\`${tool.function.name}\``).join(", ")}`,
      { param: "tool_choice" },
    );
  return named;
}

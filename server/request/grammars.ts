/** The grammar that a request asks for: by `response_format`, or by a tool that must be called. */
import type { Tool } from "ggsl/chat/messages.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import { Refusal } from "../refusal.js";
import type { ChatBody, CommonBody } from "./bodies.js";
import { parametersOf } from "ggsl/chat/calls/arguments.js";
import type { CallForm } from "ggsl/chat/calls/form.js";
import { ofWholeAnswer } from "./continued.js";
import { constraintOf } from "./constraints.js";
import { loosened } from "ggsl/chat/calls/choice.js";
import type { Enforceable } from "ggsl/chat/calls/enforceable.js";
import { callsFormat, freeFormat } from "ggsl/chat/calls/grammar.js";
import type { ThoughtOptions } from "ggsl/chat/answer.js";
import { answerGrammar } from "ggsl/chat/reasoning/grammar.js";

/** A grammar, and the field that asks for it. It may be left out, too, where the chain has no place for it. */
export interface AskedGrammar extends Enforceable<AskedGrammar> {
  readonly source: GrammarSource;
  readonly field: string;
  readonly parts?: readonly AskedPart[];
}

interface AskedPart extends AskedGrammar {
  /** What messages call it. */
  readonly name: string;
}

/** How a model writes an answer. */
export interface AnswerForms {
  /** Where tools are given. */
  readonly calls: CallForm | undefined;
  /** If it can begin with a thought: the grammar holds after it. */
  readonly thoughts: ThoughtOptions | undefined;
}

export function grammarFor(body: ChatBody, { calls: form, thoughts }: AnswerForms): AskedGrammar | undefined {
  const called = calledTools(body);
  const format = askedFormat(body);
  if (body.continue_final_message && (called || format)) throw ofWholeAnswer(called ? "tool_choice" : format!.field);
  if (!form) return format && afterThoughts(format, thoughts);
  if (!called) return format ? formatOrCalls(body, form, format, thoughts) : autoGrammar(body, form, thoughts);
  if (format)
    throw new Refusal(
      "invalid_request",
      `\`${format.field}\` asks for the form of the text, and \`tool_choice\` for a call of a tool: give one`,
      {
        param: "tool_choice",
      },
    );
  const { schema_options: schema = {} } = body;
  const source = answerGrammar(
    { calls: callsFormat(form, called, { schema, isParallel: mayCallMore(body) }) },
    thoughts,
  );
  return { source, field: "tool_choice", parts: partsOf(body, called) };
}

/** Whether an answer may have several calls. A function that is named is called once. */
export const mayCallMore = ({ parallel_tool_calls: isParallel = true, tool_choice: choice }: ChatBody): boolean =>
  isParallel && typeof choice !== "object";

function afterThoughts(format: AskedPart, thoughts: ThoughtOptions | undefined): AskedGrammar {
  if (!thoughts) return format;
  return {
    source: answerGrammar({ content: formOfTag(format.source) }, thoughts),
    field: format.field,
    parts: [format],
  };
}

/** Each tool's schema. */
const partsOf = ({ tools = [], schema_options: options }: ChatBody, called: readonly Tool[]): AskedPart[] =>
  called.map((tool) => ({
    source: { ...options, jsonSchema: parametersOf(tool) },
    field: `tools[${tools.indexOf(tool)}].function.parameters`,
    name: `the tool \`${tool.function.name}\``,
  }));

/** Text in which calls may come. */
function autoGrammar(body: ChatBody, form: CallForm, thoughts: ThoughtOptions | undefined): AskedGrammar | undefined {
  const { tools = [], schema_options: schema = {}, parallel_tool_calls: isParallel = true } = body;
  const asked = (given: readonly Tool[]): AskedGrammar | undefined => {
    const calls = freeFormat(form, given, { schema, isParallel });
    const source = calls && answerGrammar({ calls }, thoughts);
    return source && { source, field: "tools", parts: partsOf(body, tools), mayBeLeftOut: true };
  };
  const whole = asked(tools);
  return whole && { ...whole, without: (places) => asked(loosened(tools, places))! };
}

/** Text of the format that is asked for, or calls in its place. */
function formatOrCalls(
  body: ChatBody,
  form: CallForm,
  format: AskedPart,
  thoughts: ThoughtOptions | undefined,
): AskedGrammar {
  const { tools = [], schema_options: schema = {}, parallel_tool_calls: isParallel = true } = body;
  const asked = (given: readonly Tool[]): AskedGrammar => {
    const calls = callsFormat(form, given, { schema, isParallel });
    const source = answerGrammar({ content: formOfTag(format.source), calls }, thoughts);
    return { source, field: format.field, parts: [...partsOf(body, tools), format] };
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

/** What the whole text obeys, by OpenAI's field, or one of another tool. */
export function askedFormat(body: CommonBody): AskedPart | undefined {
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

function formatGrammar({ response_format: format, schema_options: options }: CommonBody): GrammarSource | undefined {
  if (!format || format.type === "text") return undefined;
  if (format.type === "json_schema") return { ...options, jsonSchema: format.json_schema.schema };
  const { schema = {} } = format;
  return { ...options, jsonSchema: Object.keys(schema).length > 0 ? schema : { type: "object" } };
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

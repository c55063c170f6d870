/** Which tools a model may call, or must, and the grammar that sees to it. */
import * as is from "../../core/check.js";
import { invalid } from "../../core/errors.js";
import type { GrammarSource } from "../../grammars/types.js";
import type { ThoughtOptions } from "../answer.js";
import type { Tool } from "../messages.js";
import { answerGrammar } from "../reasoning/grammar.js";
import { parametersOf } from "./arguments.js";
import type { Enforceable } from "./enforceable.js";
import type { CallForm } from "./form.js";
import { callsFormat, freeFormat } from "./grammar.js";

/** As `tool_choice` of OpenAI's API. */
export type ToolChoice =
  "none" | "auto" | "required" | { readonly type: "function"; readonly function: { readonly name: string } };

const FUNCTION = is.having({ type: is.oneOf("function"), function: is.having({ name: is.text }) });
export const toolChoice: is.Check = is.either(
  '"none", "auto", "required", or { type: "function", function: { name } }',
  is.oneOf("none", "auto", "required"),
  FUNCTION,
);

/** Tools, and what is chosen of them. */
interface ChosenTools {
  readonly tools?: readonly Tool[] | undefined;
  readonly toolChoice?: ToolChoice | undefined;
}

/** The tools that the model is shown. */
export const shownTools = ({ tools = [], toolChoice: choice }: ChosenTools): readonly Tool[] =>
  choice === "none" ? [] : tools;

/** The tools of which one must be called; undefined if none must. Throws `InputError` for a tool that is not there. */
export function calledTools({ tools = [], toolChoice: choice = "auto" }: ChosenTools): readonly Tool[] | undefined {
  if (choice === "none" || choice === "auto") return undefined;
  if (tools.length === 0) throw invalid("`toolChoice` needs `tools`");
  if (choice === "required") return tools;
  const { name } = choice.function;
  const named = tools.filter((tool) => tool.function.name === name);
  if (named.length > 0) return named;
  const names = tools.map((tool) => `\`${tool.function.name}\``).join(", ");
  throw invalid(`\`toolChoice\` names \`${name}\`, and the tools are ${names}`);
}

/** Tools, those of some places with any arguments: the schemas of these cannot be enforced. */
export const loosened = (tools: readonly Tool[], places: ReadonlySet<number>): readonly Tool[] =>
  tools.map((tool, i) => (places.has(i) ? withAnyArguments(tool) : tool));

const withAnyArguments = (tool: Tool): Tool => ({
  ...tool,
  function: { ...tool.function, parameters: { type: "object" } },
});

/** A grammar of calls; its parts are those of the tools. */
interface CallsGrammar extends Enforceable<CallsGrammar> {
  readonly source: GrammarSource;
}

/** How a model writes calls, and thoughts before them. */
interface CallForms {
  readonly form: CallForm;
  readonly thoughts: ThoughtOptions | undefined;
}

/** Of an answer with calls that must come, or with what may come; undefined for a form in which nothing can be enforced then. */
export function callsGrammar(
  chosen: ChosenTools,
  isParallel: boolean,
  { form, thoughts }: CallForms,
): CallsGrammar | undefined {
  const called = calledTools(chosen);
  const options = { schema: {}, isParallel };
  const parts = (called ?? chosen.tools ?? []).map((tool) => ({ source: { jsonSchema: parametersOf(tool) } }));
  if (called) return { source: answerGrammar({ calls: callsFormat(form, called, options) }, thoughts), parts };
  const asked = (tools: readonly Tool[]): CallsGrammar | undefined => {
    const calls = freeFormat(form, tools, options);
    return calls && { source: answerGrammar({ calls }, thoughts), parts, mayBeLeftOut: true };
  };
  const { tools = [] } = chosen;
  const whole = asked(tools);
  return whole && { ...whole, without: (places) => asked(loosened(tools, places))! };
}

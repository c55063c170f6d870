/**
 * The form in which a model calls tools, found by rendering a call with its chat template. Known are a JSON object with the name and the
 * arguments, after a mark such as `<tool_call>` or none, and a name between two texts with the arguments as JSON after it.
 */
import type { ChatMessage, Tool } from "ggsl/chat/messages.js";
import type { ChatOptions } from "ggsl/chat/render.js";
import type { GrammarSource } from "ggsl/grammars/types.js";
import type { SchemaOptions } from "../bodies.js";
import { NO_PARAMETERS } from "../conversation.js";
import { jsonEnd } from "./json.js";

/** A call at the beginning of a text. */
interface ReadCall {
  readonly name: string;
  /** As JSON. */
  readonly arguments: string;
  /** Characters of the text. */
  readonly length: number;
}

export interface CallForm {
  /** Where it occurs in a text, a call may begin. */
  readonly mark: string;
  /** Reads a call at the mark: `open` if more text is needed, undefined if there is none. */
  read(text: string): ReadCall | "open" | undefined;
  /** One call of one of the tools. */
  grammar(tools: readonly Tool[], options?: SchemaOptions): GrammarSource;
}

type Render = (messages: readonly ChatMessage[], options: ChatOptions) => Promise<string>;

const NAME = "ggsl_probe_name";
const [KEY, VALUE] = ["ggsl_probe_key", "ggsl_probe_value"];
const ANSWER = "ggsl probe answer";
const USER: ChatMessage = { role: "user", content: "Hello" };
const TOOL: Tool = {
  type: "function",
  function: {
    name: NAME,
    description: "Probe",
    parameters: { type: "object", properties: { [KEY]: { type: "string" } }, required: [KEY] },
  },
};

/** The form of a template; undefined if it shows no call, or in another form. Rejects as `render` does. */
export async function findForm(render: Render): Promise<CallForm | undefined> {
  const options = { tools: [TOOL] };
  const call = { id: "abcdefghi", type: "function", function: { name: NAME, arguments: { [KEY]: VALUE } } } as const;
  const prompt = await render([USER], options);
  const closed = { ...options, addGenerationPrompt: false };
  const called = await render([USER, { role: "assistant", content: null, tool_calls: [call] }], closed);
  const answered = await render([USER, { role: "assistant", content: ANSWER }], closed);
  const text = called.slice(sharedLength(prompt, called));
  const end = answered.slice(answered.lastIndexOf(ANSWER) + ANSWER.length);
  const written = text.endsWith(end) ? text.slice(0, text.length - end.length) : text;
  return objectForm(written) ?? namedForm(written);
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

type Members = Readonly<Record<string, unknown>>;

/** The value at the beginning of a text, if it is a JSON object. */
function objectAt(text: string): { readonly value: Members; readonly length: number } | "open" | undefined {
  const length = jsonEnd(text);
  if (length === undefined) return "open";
  try {
    const value = JSON.parse(text.slice(0, length)) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { value: value as Members, length }
      : undefined;
  } catch {
    return undefined;
  }
}

const isProbe = (value: unknown): boolean =>
  typeof value === "object" && value !== null && (value as Members)[KEY] === VALUE;

/** `<tool_call>{"name": NAME, "arguments": {...}}</tool_call>`, and without marks. */
function objectForm(written: string): CallForm | undefined {
  const nameAt = written.indexOf(NAME);
  for (let at = written.indexOf("{"); at >= 0 && at < nameAt; at = written.indexOf("{", at + 1)) {
    const found = objectAt(written.slice(at));
    if (typeof found !== "object") continue;
    const entries = Object.entries(found.value);
    const nameKey = entries.find(([, value]) => value === NAME)?.[0];
    const argumentsKey = entries.find(([, value]) => isProbe(value))?.[0];
    if (nameKey === undefined || argumentsKey === undefined) continue;
    const before = written.slice(0, at);
    const after = written.slice(at + found.length);
    // a list of calls begins with a bracket, which the later ones do not have
    return formOfObject({ before, after, mark: before.trim().replace(/\s*\[$/, ""), nameKey, argumentsKey });
  }
  return undefined;
}

interface ObjectForm {
  readonly before: string;
  readonly after: string;
  readonly mark: string;
  readonly nameKey: string;
  readonly argumentsKey: string;
}

const formOfObject = ({ before, after, mark, nameKey, argumentsKey }: ObjectForm): CallForm => ({
  mark: mark === "" ? "{" : mark,
  read(text) {
    const rest = text.slice(mark.length);
    const blanks = /^[\s[]*/.exec(rest)![0].length;
    if (rest.length === blanks) return "open";
    if (rest[blanks] !== "{") return undefined;
    const found = objectAt(rest.slice(blanks));
    if (typeof found !== "object") return found;
    const { [nameKey]: name, [argumentsKey]: given } = found.value;
    if (typeof name !== "string" || typeof given !== "object") return undefined;
    const done = mark.length + blanks + found.length;
    return { name, arguments: JSON.stringify(given), length: done + endLength(text.slice(done), after) };
  },
  grammar: (tools, options) =>
    either(
      tools.map((tool) => [
        literal(
          `${before}{${JSON.stringify(nameKey)}: ${JSON.stringify(tool.function.name)}, ${JSON.stringify(argumentsKey)}: `,
        ),
        schemaOf(tool, options),
        literal(`}${after}`),
      ]),
    ),
});

/** `<function=NAME>{...}</function>`. */
function namedForm(written: string): CallForm | undefined {
  const nameAt = written.indexOf(NAME);
  const before = written.slice(0, Math.max(0, nameAt));
  const mark = before.trimStart();
  const rest = written.slice(nameAt + NAME.length);
  const at = rest.indexOf("{");
  const found = at < 0 ? undefined : objectAt(rest.slice(at));
  const between = rest.slice(0, at);
  if (nameAt < 0 || mark === "" || between === "" || typeof found !== "object" || !isProbe(found.value))
    return undefined;
  const after = rest.slice(at + found.length);
  return {
    mark,
    read(text) {
      const named = text.slice(mark.length);
      const end = named.indexOf(between);
      if (end < 0) return named.length > LONGEST_NAME ? undefined : "open";
      const read = objectAt(named.slice(end + between.length));
      if (typeof read !== "object") return read;
      const done = mark.length + end + between.length + read.length;
      const length = done + endLength(text.slice(done), after);
      return { name: named.slice(0, end).trim(), arguments: JSON.stringify(read.value), length };
    },
    grammar: (tools, options) =>
      either(
        tools.map((tool) => [
          literal(`${before}${tool.function.name}${between}`),
          schemaOf(tool, options),
          ...(after === "" ? [] : [literal(after)]),
        ]),
      ),
  };
}

const LONGEST_NAME = 256;

/** How much of what follows a call is its end. */
function endLength(text: string, after: string): number {
  const end = after.trim();
  const blanks = /^\s*/.exec(text)![0].length;
  return end !== "" && text.startsWith(end, blanks) ? blanks + end.length : 0;
}

// ---------------------------------------------------------------- grammars

const literal = (value: string): object => ({ type: "const_string", value });
const schemaOf = (tool: Tool, options: SchemaOptions = {}): object => ({
  ...options,
  type: "json_schema",
  json_schema: parametersOf(tool),
});
/** The schema of a tool's arguments. */
export const parametersOf = ({ function: { parameters = NO_PARAMETERS } }: Tool): object => parameters;
const either = (sequences: readonly (readonly object[])[]): GrammarSource => {
  const elements = sequences.map((parts) => ({ type: "sequence", elements: parts }));
  return { structuralTag: elements.length === 1 ? elements[0]! : { type: "or", elements } };
};

/** Conversations with calls that a template renders, so that its form of calls can be read off. */
import type { ChatMessage, Tool } from "../messages.js";
import type { ChatOptions } from "../render.js";

export type Render = (messages: readonly ChatMessage[], options: ChatOptions) => Promise<string>;

export interface Probe {
  readonly name: string;
  readonly id: string;
  readonly arguments: Readonly<Record<string, string | number>>;
}

/** The names of the arguments: a text and an integer. */
export const [FIRST, SECOND] = ["ggsl_first", "ggsl_second"];
export const PROBES: readonly [Probe, Probe] = [
  { name: "ggsl_probe", id: "abcdefghi", arguments: { [FIRST]: "ggsl value", [SECOND]: 70_007 } },
  { name: "other_ggsl", id: "jklmnopqr", arguments: { [FIRST]: "more values", [SECOND]: 80_008 } },
];
const ANSWER = "ggsl answer";

const USER: ChatMessage = { role: "user", content: "Hello" };
/** Has another name than the calls, which so are the only place of theirs. */
export const TOOL: Tool = {
  type: "function",
  function: {
    name: "tool_of_ggsl",
    description: "A tool",
    parameters: {
      type: "object",
      properties: { [FIRST]: { type: "string" }, [SECOND]: { type: "integer" } },
      required: [FIRST, SECOND],
    },
  },
};

/** Texts around a call. */
export interface Renderings {
  /** Up to the end of the conversation, with one call. */
  readonly one: string;
  /** With two; undefined for a template that refuses them. */
  readonly two: string | undefined;
  /** Up to the beginning of the model's answer. */
  readonly prompt: string;
  /** Before and after an answer without calls. */
  readonly before: string;
  readonly after: string;
  /** What follows an answer that calls come after; undefined if it is not shown, or the calls come first. */
  readonly afterContent: string | undefined;
}

/** Rejects as `render` does. */
export async function renderings(render: Render): Promise<Renderings> {
  const options = { tools: [TOOL], addGenerationPrompt: false };
  const rendered = (content: string | null, probes: readonly Probe[]): Promise<string> =>
    render(
      [USER, { role: "assistant", content, ...(probes.length > 0 && { tool_calls: probes.map(callOf) }) }],
      options,
    );
  const [first, second] = PROBES;
  const one = await rendered(null, [first]);
  const prompt = await render([USER], { tools: [TOOL] });
  const answered = await rendered(ANSWER, []);
  const at = answered.lastIndexOf(ANSWER);
  const [two, both] = await Promise.all([
    rendered(null, [first, second]).catch(() => undefined),
    rendered(ANSWER, [first]).catch(() => ""),
  ]);
  const shown = both.indexOf(ANSWER);
  return {
    one,
    two,
    prompt,
    before: at < 0 ? "" : answered.slice(0, at),
    after: at < 0 ? "" : answered.slice(at + ANSWER.length),
    afterContent: shown < 0 || shown > both.indexOf(first.name) ? undefined : both.slice(shown + ANSWER.length),
  };
}

export const callOf = ({ name, id, arguments: args }: Probe) =>
  ({ id, type: "function", function: { name, arguments: args } }) as const;

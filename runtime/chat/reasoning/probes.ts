/** Conversations with a thought that a template renders, so that its form of thoughts can be read off. */
import { callOf, PROBES, TOOL, type Render } from "../calls/probes.js";
import type { ChatMessage } from "../messages.js";
import type { ChatOptions } from "../render.js";

const THOUGHT = "thought of ggsl";
export const CONTENT = "answer of ggsl";
const QUESTION = "question of ggsl";
const USER: ChatMessage = { role: "user", content: QUESTION };

type Variables = Readonly<Record<string, unknown>>;
/** Most templates that can think have one of these. */
const [NONE, ON, OFF]: readonly [Variables, Variables, Variables] = [
  {},
  { enable_thinking: true, thinking: true },
  { enable_thinking: false, thinking: false },
];

/** A message with a thought, after the question. */
interface Thought {
  readonly before: string;
  readonly after: string;
}

export interface Renderings {
  /** Undefined if no message shows its thought. */
  readonly thought: Thought | undefined;
  /** What prompts end with, after the question. */
  readonly prompts: readonly string[];
  /** An answer without a thought, after the question: before its content, and after it. */
  readonly before: string;
  readonly after: string;
}

/** Rejects as `render` does for the question alone. */
export async function renderings(render: Render): Promise<Renderings> {
  const rest = (text: string): string => text.slice(text.lastIndexOf(QUESTION) + QUESTION.length);
  const shown = (message: ChatMessage, variables: Variables, more: ChatOptions = {}): Promise<string> =>
    render([USER, message], { ...more, variables, addGenerationPrompt: false }).then(rest, () => "");
  const prompts = [rest(await render([USER], { variables: NONE }))];
  for (const variables of [ON, OFF]) prompts.push(await render([USER], { variables }).then(rest, () => prompts[0]!));
  const plain = await shown({ role: "assistant", content: CONTENT }, NONE);
  const [before = "", after = ""] = plain.split(CONTENT, 2);
  return { thought: await thoughtIn(shown), prompts, before, after };
}

/** Some templates show thoughts beside calls alone, or where the model is to think. */
async function thoughtIn(
  shown: (message: ChatMessage, variables: Variables, more?: ChatOptions) => Promise<string>,
): Promise<Thought | undefined> {
  const answer: ChatMessage = { role: "assistant", content: CONTENT, reasoning_content: THOUGHT };
  const call: ChatMessage = { ...answer, content: null, tool_calls: [callOf(PROBES[0])] };
  for (const [message, more] of [
    [answer, {}],
    [call, { tools: [TOOL] }],
  ] as const)
    for (const variables of [NONE, ON]) {
      const text = await shown(message, variables, more);
      const [before = "", after] = text.split(THOUGHT, 2);
      if (after !== undefined) return { before, after };
    }
  return undefined;
}

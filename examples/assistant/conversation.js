/** A conversation in which the model calls tools: each turn goes on until the model answers in words. */
import { readFileSync } from "node:fs";
import { carryOut, tools } from "./tools.js";

/** GGSL, sent with each request. */
const SAMPLER = readFileSync(new URL("assistant.ggsl", import.meta.url), "utf8");

/** Requests of a turn: a model may call tools several times before it answers. */
const MOST_REQUESTS = 4;
/** Messages that a request has; older ones are forgotten. */
const MOST_MESSAGES = 12;

/**
 * @param client OpenAI's client
 * @param isForced whether the first request of a turn has to call a tool, for models that would never do so by themselves
 */
export function startConversation(client, { model, isForced, seed }) {
  const messages = [];

  /** Yields what happens: pieces of the answer, `{ text }`, and calls with their results, `{ call, result }`. */
  async function* say(content) {
    messages.push({ role: "user", content });
    for (let request = 0; request < MOST_REQUESTS; request++) {
      // the last request answers in words
      const choice = request === MOST_REQUESTS - 1 ? "none" : !isForced ? "auto" : request === 0 ? "required" : "none";
      const stream = client.chat.completions.stream({
        model,
        messages: recent(messages),
        ...(choice !== "none" && { tools, tool_choice: choice }),
        max_completion_tokens: choice === "none" ? 48 : 96,
        stop: choice === "none" ? ["\n"] : undefined,
        // fields of `ggsl serve`
        sampler: SAMPLER,
        sampler_chain: choice === "required" ? "call" : "answer",
        ...(seed !== undefined && { seed: seed + messages.length }),
      });
      for await (const { choices } of stream)
        if (choice !== "required" && choices[0]?.delta.content) yield { text: choices[0].delta.content };
      const { content: text, tool_calls: calls = [] } = (await stream.finalChatCompletion()).choices[0].message;
      if (choice === "required" && calls.length === 0)
        throw new Error(`expected a call of a tool, but the text was cut off: ${text}`);
      messages.push({ role: "assistant", content: text, ...(calls.length > 0 && { tool_calls: calls }) });
      if (calls.length === 0) return;
      for (const { id, function: call } of calls) {
        const result = carryOut(call);
        messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(result) });
        yield { call, result };
      }
    }
  }

  return { messages, say };
}

/** The last messages, from a message of the user on. */
function recent(messages) {
  const first = messages.findIndex(({ role }, i) => role === "user" && messages.length - i <= MOST_MESSAGES);
  return messages.slice(Math.max(first, 0));
}

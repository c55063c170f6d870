/**
 * Samplers that act on the text, by request: `write`, `thinking_budget`, `inside` and `by_phase` in the `sampler` of a chat completion, with real
 * chat templates. test/chat/phases.test.ts says what the texts are; here they are those of the model, in parts.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { ChatCompletion } from "openai/resources/chat/completions";
import { FORMS, phaseProgram } from "../chat/phases.js";
import { sourceOf } from "../chat/templates.js";
import { open, type Opened } from "./open.js";

const messages = [{ role: "user", content: "In the beginning" }];

describe.each(FORMS)("$template", (form) => {
  let server: Opened;
  beforeAll(async () => {
    server = await open({ template: sourceOf(`${form.template}.jinja`), contextSize: 1024, sequences: 2 });
  });
  afterAll(() => server.close(0));

  const ask = async (more: object) => {
    const sampler = phaseProgram(form);
    const { status, body } = await server.post("/v1/chat/completions", { messages, sampler, max_tokens: 140, ...more });
    expect([status, body.error]).toEqual([200, undefined]);
    const { choices, usage } = body as unknown as ChatCompletion;
    const { content, reasoning_content = "" } = choices[0]!.message as { content: string; reasoning_content?: string };
    return { content, reasoning: reasoning_content, thought: usage!.completion_tokens_details!.reasoning_tokens! };
  };

  test("a thought ends with the message of the request's sampler", async () => {
    const [short, long] = [await ask({ sampler_params: { budget: 4 } }), await ask({ sampler_params: { budget: 12 } })];
    for (const { reasoning, content } of [short, long]) {
      expect(reasoning.trim()).toMatch(/That is enough\.$/);
      expect(content).not.toContain("That is enough");
      expect(content).not.toBe("");
    }
    expect(long.thought - short.thought).toBe(8);
    const begins = (text: string): string => text.trim().replace(/ ?That is enough\.$/, "");
    expect(begins(long.reasoning).startsWith(begins(short.reasoning))).toBe(true);
  });

  test("the request's own budget closes the thought before", async () => {
    const { reasoning, content } = await ask({ sampler_params: { budget: 100 }, reasoning_budget: 3 });
    expect(reasoning).not.toContain("That is enough");
    expect(content).not.toBe("");
  });
});

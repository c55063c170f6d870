/**
 * Samplers that act on the text, from the prompt of a real chat template to the answer: `write`, `thinking_budget`, `inside` and `by_phase`, in
 * the forms of Qwen3, DeepSeek and gpt-oss. The demo model does not think: a chain writes what begins a thought where a template leaves
 * that to the model. The oracle looks for the marks in the whole text, and a chain without any of it picks between the written texts.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { compile } from "../../runtime/chain/chain.js";
import type { ChatMessage } from "../../runtime/chat/messages.js";
import type { Piece } from "../../runtime/generation/generate.js";
import type { Model } from "../../runtime/models/model.js";
import { endless, loadExactModel } from "../model/file.js";
import { rest } from "../model/reading.js";
import { ANSWERING, FORMS, isThinking, phaseProgram, THINKING, type PhaseForm } from "./phases.js";
import { sourceOf } from "./templates.js";

const messages: readonly ChatMessage[] = [
  { role: "user", content: "In the beginning" },
  { role: "assistant", content: "God created", reasoning_content: "He said" },
  { role: "user", content: "And then" },
];
const COUNT = 120;

let model: Model;
beforeAll(async () => void (model = await loadExactModel({ contextSize: 2048 })));
afterAll(() => model.dispose());

const greedy = compile('import { logit_bias, greedy } from "std"\nchain c = logit_bias() |> greedy()');
const tokensOf = (pieces: readonly Piece[]): number[] => pieces.map(({ token }) => token);
const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join("");
const tokensIn = (text: string): number[] => [...model.tokenize(text)].slice(model.tokenize("").length);
const bestAfter = async (tokens: readonly number[], maxTokens: number): Promise<number[]> =>
  maxTokens === 0
    ? []
    : tokensOf(await rest(model.generate(Int32Array.from(tokens), { chain: greedy, maxTokens, ...endless(model) })));

const optionsOf = (form: PhaseForm) => ({
  chain: compile(phaseProgram(form)),
  template: sourceOf(`${form.template}.jinja`),
  maxTokens: COUNT,
  ...endless(model),
});

describe.each(FORMS)("$template", (form) => {
  const { begin, open, message } = form;

  test("a thought ends with the message after its budget, and each phase has its temperature", async () => {
    const options = optionsOf(form);
    const generation = model.chat(messages, options);
    const pieces = await rest(generation);
    const { promptTokens, forcedTokens } = generation.stats();
    const prompt = [...generation.save().tokens].slice(0, promptTokens);
    const shown = await model.renderChat(messages, { template: options.template });

    // the budget counts what comes after the mark
    const [begun, ended] = [tokensIn(begin), tokensIn(message)];
    const before = `${shown}${begin}`;
    const after = tokensIn(before.slice(before.lastIndexOf(open) + open.length)).length;
    const thought = await bestAfter([...prompt, ...begun], 6 - after);
    const written = [...begun, ...thought, ...ended];
    const answer = await bestAfter([...prompt, ...written], COUNT - written.length);
    expect(tokensOf(pieces)).toEqual([...written, ...answer]);
    expect(forcedTokens).toBe(begun.length + ended.length);

    let text = shown;
    const phases = new Set<boolean>();
    for (const { text: piece, measures } of pieces) {
      const is = isThinking(form, text);
      phases.add(is);
      expect([text.length, measures!["thinking"]]).toEqual([text.length, is ? 1 : 0]);
      expect(measures!["temperature"]).toBeCloseTo(is ? THINKING : ANSWERING, 4);
      text += piece;
    }
    expect(phases.size).toBe(2);
  });

  test("the parts of the answer are those of the template", async () => {
    const { reasoning, content } = await model.chat(messages, optionsOf(form)).answer();
    const whole = textOf(await rest(model.chat(messages, optionsOf(form))));
    const [thought, answer] = whole.slice(begin.length).split(message);
    expect(reasoning.trim()).toBe(`${thought!.trim()} That is enough.`);
    expect(content.trim()).toBe(answer!.trim());
  });

  test("a smaller budget of the answer closes the thought by the same forced tokens", async () => {
    const generation = model.chat(messages, { ...optionsOf(form), uniforms: { budget: 100 }, reasoningBudget: 3 });
    const { reasoning, content } = await generation.answer();
    expect(reasoning).not.toContain("That is enough");
    expect(tokensIn(reasoning).length).toBeLessThanOrEqual(4);
    expect(content).not.toBe("");
    // what begins the thought, and a token at least of what ends it
    expect(generation.stats().forcedTokens).toBeGreaterThan(tokensIn(begin).length);
  });
});

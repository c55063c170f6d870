/** Sequences of a batch that requests ask for. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compilePipeline } from "../../runtime/chain/chain.js";
import { loadModel, type Model } from "../../runtime/models/model.js";
import { DEMO_MODEL } from "../model/file.js";

let model: Model;
beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 256 });
});
afterAll(() => model.dispose());

const PROMPT = "And it came to pass in those days, that there went out a decree from the king, that all should be told";
const chain = compilePipeline("greedy()");
const request = { chain, maxTokens: 4 };

test("a text runs in the place that it asks for, and in no reserved one unless it asks", async () => {
  using batch = model.batch({ sequences: 3, reserved: [1] });
  const order: string[] = [];
  const write = async (name: string, place?: number): Promise<void> => {
    for await (const _ of batch.add(PROMPT, { ...request, ...(place !== undefined && { place }) }));
    order.push(name);
  };
  // two that share no place run beside each other; the second of place 1 waits for the first, and holds up no other
  const texts = [write("own", 1), write("own again", 1), write("any"), write("any too")];
  await Promise.all(texts);
  expect(order.at(-1)).toBe("own again");
  // its text stayed there, so that the same prompt needs one token
  const again = batch.add(PROMPT, { ...request, place: 1 });
  for await (const _ of again);
  expect(again.stats().computedPromptTokens).toBe(1);
});

test("a place that is none, and more sequences than are not reserved, are errors", () => {
  using batch = model.batch({ sequences: 2, reserved: [0, 1] });
  expect(() => batch.add(PROMPT, { ...request, place: 2 })).toThrow("`place` must be at most 1");
  expect(() => batch.add(PROMPT, request)).toThrow("needs 1 sequences, and 0 of the 2 are not reserved");
  expect(() => model.batch({ sequences: 2, reserved: [2] })).toThrow("`reserved[0]` must be an integer from 0 to 1");
});

test("an abort as a batch ends does not end the next one", async () => {
  using batch = model.batch({ sequences: 1 });
  for (let round = 0; round < 30; round++) {
    const abort = new AbortController();
    const cancelled = (async () => {
      for await (const _ of batch.add(PROMPT, { chain, ignoreEnd: true, signal: abort.signal }));
    })();
    setTimeout(() => abort.abort(), round / 3);
    await expect(cancelled.catch(({ name }: Error) => name)).resolves.toMatch(/AbortError/);
    let count = 0;
    for await (const _ of batch.add("And", { chain, maxTokens: 1 })) count++;
    expect(count).toBe(1);
  }
});

test("decodes are told, and live chains counted", async () => {
  const times: number[] = [];
  using batch = model.batch({ sequences: 2, onDecode: (milliseconds) => times.push(milliseconds) });
  const first = batch.add(PROMPT, request);
  let live = 0;
  for await (const _ of first) live = batch.liveChains;
  expect([live, batch.liveChains]).toEqual([1, 0]);
  expect(times).toHaveLength(4);
  expect(times.every((time) => time > 0)).toBe(true);
});

test("the tokens of a conversation, and the bytes of a token", async () => {
  const options = { template: "{% for m in messages %}{{ m.content }}\n{% endfor %}" };
  const messages = [{ role: "user", content: "And God said" }];
  const tokens = await model.tokenizeChat(messages, options);
  expect([...tokens]).toEqual([...model.tokenize(await model.renderChat(messages, options), { special: true })]);
  await expect(model.tokenizeChat([])).rejects.toThrow("at least one message");
  expect(Buffer.from(model.bytesOf(tokens[1]!)).toString()).toBe(model.textOf(tokens[1]!));
  expect(() => model.bytesOf(2048)).toThrow("must be an integer from 0 to 2047");
});

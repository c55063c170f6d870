/** One loop reads a generation: of two, each would get a part of the pieces. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compilePipeline, type Generation, type Model } from "../../runtime/index.js";
import { endless, loadExactModel } from "../model/file.js";

const chain = compilePipeline("greedy()");
const HELLO = [{ role: "user", content: "Hello" }];
const template = "{% for m in messages %}{{ m.content }}{% endfor %}";

let model: Model;
beforeAll(async () => {
  model = await loadExactModel({ backend: "cpu", contextSize: 256 });
});
afterAll(() => model.dispose());

const read = async (generation: Generation): Promise<number[]> => {
  const tokens: number[] = [];
  for await (const { token } of generation) tokens.push(token);
  return tokens;
};

test.each(["generate", "chat", "batch", "chat of a batch"])("%s", async (kind) => {
  using batch = model.batch({ sequences: 2, contextSize: 128 });
  const request = { chain, maxTokens: 12, ...endless(model) };
  const open = (): Generation => {
    if (kind === "generate") return model.generate("In the", request);
    if (kind === "chat") return model.chat(HELLO, { ...request, template });
    return kind === "batch" ? batch.add("In the", request) : batch.chat(HELLO, { ...request, template });
  };
  const wanted = await read(open());
  const generation = open();
  const [first, second] = await Promise.allSettled([read(generation), read(generation)]);
  expect(first).toEqual({ status: "fulfilled", value: wanted });
  expect(second).toMatchObject({ status: "rejected", reason: { code: "BUSY" } });
  await expect(read(generation)).rejects.toMatchObject({ code: "ENDED" });
});

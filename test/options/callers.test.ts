/** Callbacks and buffers of callers that misbehave: errors are declared ones, and what was given counts as it was then. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { compile, compilePipeline, loadModel, type Model } from "../../runtime/index.js";
import { DEMO_MODEL } from "../model/file.js";

let model: Model;
beforeAll(async () => {
  model = await loadModel(DEMO_MODEL, { backend: "cpu", contextSize: 64 });
});
afterAll(() => model.dispose());

const greedy = compilePipeline("greedy()");
const tokens = () => model.tokenize("In the beginning");
/** Its memory goes elsewhere. */
const transfer = (list: Int32Array): void => void structuredClone(list, { transfer: [list.buffer as ArrayBuffer] });

async function read(generation: AsyncIterable<{ readonly token: number }>): Promise<number[]> {
  const found: number[] = [];
  for await (const { token } of generation) found.push(token);
  return found;
}

test.each([[{}], [{ name: "a.ggsl" }], [{ text: "" }], [{ name: 1, text: 2 }], ["x"], [5], [Promise.resolve()], [[]]])(
  "an importer that returns %p",
  (found) => {
    const source = 'import { a } from "./a.ggsl"\nchain c = a()';
    const call = () => compile(source, { importer: () => found as never });
    expect(call).toThrow("the `importer` must return a file with `name` and `text`");
    expect(call).toThrow(expect.objectContaining({ name: "OptionError", code: "INVALID_OPTION" }));
  },
);

test("tokens that are transferred or changed after the call are those of the call", async () => {
  const wanted = await model.logits(tokens());
  const given = tokens();
  const logits = model.logits(given);
  transfer(given);
  expect(await logits).toEqual(wanted);
  const texts = await read(model.generate(tokens(), { chain: greedy, maxTokens: 4 }));
  const [moved, changed] = [tokens(), tokens()];
  const first = model.generate(moved, { chain: greedy, maxTokens: 4 });
  const second = model.generate(changed, { chain: greedy, maxTokens: 4 });
  transfer(moved);
  changed.fill(-1);
  expect(await read(first)).toEqual(texts);
  expect(await read(second)).toEqual(texts);
});

test("tokens whose memory is elsewhere already are an empty prompt", async () => {
  const gone = tokens();
  transfer(gone);
  const refused = {
    name: "InputError",
    code: "INVALID_ARGUMENT",
    message: expect.stringContaining("the prompt is empty"),
  };
  await expect(model.logits(gone)).rejects.toMatchObject(refused);
  await expect(read(model.generate(gone, { chain: greedy }))).rejects.toMatchObject(refused);
});

/** Names of models: several of one, with a sampler of the server, and those of others that a lenient server takes. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { modelNames } from "../../server/config/options.js";
import { open, type Opened } from "./open.js";

/** Others are not needed: the text of each chain is its own. */
const SAMPLERS = {
  best: 'import { greedy } from "std"\nchain best() = greedy()\n',
  warm: 'import { temp, dist } from "std"\nchain warm(temperature: f32 = 1) = temp(temperature) |> dist()\n',
  second: `import { dist } from "std"
/// The second best.
sampler runner_up() {
  top 2
  keep rank == 1
}
chain second() = runner_up() |> dist()
`,
};

let folder: string;
let server: Opened;
let lenient: Opened;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-models-"));
  const samplers = Object.entries(SAMPLERS).map(([name, text]) => {
    writeFileSync(join(folder, `${name}.ggsl`), text);
    return { name, file: join(folder, `${name}.ggsl`) };
  });
  writeFileSync(join(folder, "default.ggsl"), SAMPLERS.best);
  server = await open({ alias: ["demo", "other:8b", "demo"], samplers, template: "{{ messages[0].content }}" });
  const withDefault = [...samplers, { name: "default", file: join(folder, "default.ggsl") }];
  lenient = await open({ samplers: withDefault, lenient: true, sequences: 2 });
});
afterAll(async () => {
  await server.close(0);
  await lenient.close(0);
  rmSync(folder, { recursive: true });
});

const PROMPT = { prompt: "In the beginning", max_tokens: 6, seed: 1, temperature: 0 };

async function textOf(to: Opened, fields: object): Promise<{ text: string; model: unknown; ignored: string | null }> {
  const { status, headers, body } = await to.post("/v1/completions", { ...PROMPT, ...fields });
  if (status !== 200) throw new Error(JSON.stringify(body.error));
  const [choice] = body["choices"] as { text: string }[];
  return { text: choice!.text, model: body["model"], ignored: headers.get("x-ggsl-ignored") };
}

describe("OpenAI's client", () => {
  test("lists the names of the model, and those with samplers", async () => {
    const { data } = await server.client.models.list();
    expect(data.map(({ id }) => id)).toEqual(["demo", "other:8b", "demo:best", "demo:warm", "demo:second"]);
    expect(data).toMatchObject([
      { samplers: ["best", "warm", "second"], context_length: 256 },
      { samplers: ["best", "warm", "second"] },
      { sampler: "best", owned_by: "ggsl" },
      { sampler: "warm" },
      { sampler: "second" },
    ]);
    for (const model of data) expect(await server.client.models.retrieve(model.id)).toEqual(model);
    // the default is the model's own name
    expect((await lenient.client.models.list()).data.map(({ id }) => id)).toEqual([
      "demo",
      "demo:best",
      "demo:warm",
      "demo:second",
    ]);
    await expect(server.client.models.retrieve("demo:none")).rejects.toMatchObject({
      code: "unknown_model",
      message: expect.stringContaining("`demo:second`") as unknown,
    });
  });

  test("writes with each of them, in streams too", async () => {
    const messages = [{ role: "user" as const, content: "In the beginning" }];
    for (const [model, more] of [
      ["demo", { temperature: 0 }],
      ["other:8b", { temperature: 0 }],
      ["demo:best", {}],
      ["other:8b:second", {}],
    ] as const) {
      const body = { model, messages, max_tokens: 6, ...more };
      const whole = await server.client.chat.completions.create(body);
      let text = "";
      for await (const part of await server.client.chat.completions.create({ ...body, stream: true })) {
        expect(part.model).toBe(model);
        text += part.choices[0]!.delta.content ?? "";
      }
      expect([whole.model, whole.choices[0]!.message.content]).toEqual([model, text]);
    }
  });
});

describe("a sampler's name as a model", () => {
  const PLAIN = { temperature: null, seed: null };

  test("has the sampler write the text", async () => {
    for (const sampler of ["best", "second"]) {
      const { text, model } = await textOf(server, { ...PLAIN, model: `demo:${sampler}` });
      expect(model).toBe(`demo:${sampler}`);
      expect(text).toBe((await textOf(server, { ...PLAIN, sampler })).text);
      expect((await textOf(server, { ...PLAIN, model: `demo:${sampler}`, sampler })).text).toBe(text);
    }
    expect((await textOf(server, { ...PLAIN, model: "demo:best" })).text).toBe((await textOf(server, {})).text);
    expect((await textOf(server, { ...PLAIN, model: "demo:second" })).text).not.toBe((await textOf(server, {})).text);
  });

  test("goes with its chain's name, with its uniforms, and with a schema", async () => {
    const warm = { model: "demo:warm", sampler_chain: "warm" };
    expect((await textOf(server, { ...warm, temperature: 0 })).text).toBe((await textOf(server, {})).text);
    const { body } = await server.post("/v1/chat/completions", {
      model: "demo:best",
      messages: [{ role: "user", content: "In the beginning" }],
      max_tokens: 40,
      response_format: { type: "json_schema", json_schema: { name: "n", schema: { enum: ["a"] } } },
    });
    expect(body["choices"]).toMatchObject([{ message: { content: '"a"' } }]);
  });

  test("is refused beside another sampler, and with a field that it does not have", async () => {
    const refused = async (fields: object) =>
      (await server.post("/v1/completions", { ...PROMPT, model: "demo:best", ...fields })).body.error;
    expect(await refused({ ...PLAIN, sampler: "second" })).toMatchObject({
      code: "invalid_request",
      param: "sampler",
      message: "`model` chooses the sampler `best`, and `sampler` another: give one",
    });
    expect(await refused({ temperature: 0.5 })).toMatchObject({
      code: "parameter_not_in_sampler",
      param: "temperature",
    });
    for (const model of ["demo:", ":best", "demo:none", "best", "gpt"])
      expect(await refused({ model })).toMatchObject({ code: "unknown_model", param: "model" });
  });

  test("is a name of the model where nothing is picked", async () => {
    const { body } = await server.post("/v1/logits", { model: "demo:best", prompt: "And" });
    expect(body["model"]).toBe("demo:best");
    expect((await server.post("/tokenize", { model: "demo:best", content: "And" })).status).toBe(200);
  });
});

describe("a lenient server", () => {
  test("takes any name, and names the field", async () => {
    const own = await textOf(lenient, { temperature: null });
    expect(own).toMatchObject({ model: "demo", ignored: "seed" });
    for (const model of ["gpt-4o", "demo:none"])
      expect(await textOf(lenient, { temperature: null, model })).toEqual({ ...own, ignored: "model, seed" });
    const { status, headers } = await lenient.post("/tokenize", { model: "gpt-4o", content: "And" });
    expect([status, headers.get("x-ggsl-ignored")]).toEqual([200, "model"]);
  });

  test("ignores what a sampler that the name chooses does not have", async () => {
    const { text, ignored } = await textOf(lenient, { model: "demo:second", top_p: 0.5 });
    expect(ignored).toBe("temperature, top_p");
    expect(text).toBe((await textOf(lenient, { model: "demo:second", temperature: null })).text);
  });
});

test("the names of options", () => {
  expect(modelNames({ model: "/models/a b.GGUF" })).toEqual(["a b"]);
  expect(modelNames({ model: "a.gguf", alias: "x" })).toEqual(["x"]);
  expect(modelNames({ model: "a.gguf", alias: ["x", "y", "x"] })).toEqual(["x", "y"]);
  expect(modelNames({ model: "a.gguf", alias: [] })).toEqual(["a"]);
  expect(() => modelNames({ model: "a.gguf", alias: ["x", ""] })).toThrow("must be a text that is not empty");
});

/** Text under a JSON schema in Chromium: a page with a `ModelWorker`, bundled by esbuild. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import { readSpec, writeSpec } from "../../compiler/graph/json.js";
import { chainOf, compile } from "../../runtime/chain/chain.js";
import { loadModel } from "../../runtime/models/model.js";
import { llamaModulePath } from "../../runtime/core/root.js";
import { DEMO_MODEL } from "../model/file.js";
import { needing } from "../needs.js";
import { LLAMA_MODULE } from "../wasm/llamaTest.js";
import { BROWSER, openFolder, patient, type Site } from "./site.js";

const FOLDER = resolve("build", "playground-grammars");

const IMPORT = 'import { constrain, temp, dist } from "std"';
const PLAIN = writeSpec(compile(`${IMPORT}\nchain c = temp(0.8) |> dist(3)`).graph);
const CONSTRAINED = writeSpec(compile(`${IMPORT}\nchain c(g: grammar) = constrain(g) |> temp(0.8) |> dist(3)`).graph);
const SCHEMA = {
  type: "object",
  properties: { age: { type: "integer", minimum: 10, maximum: 99 }, kind: { enum: ["small", "large"] } },
  required: ["age", "kind"],
};

const PAGE = `
import { chainOf } from "ggsl/chain/chain.js";
import { readSpec } from "@ggsl/compiler/graph/json.js";
import { ModelWorker } from "ggsl/models/thread/client.js";
window.generate = async (spec, uniforms) => {
  using worker = new ModelWorker(new Worker("./worker.js", { type: "module" }));
  const bytes = new Uint8Array(await (await fetch("./model.gguf")).arrayBuffer());
  await worker.load(bytes, new URL("./llama.wasm", location.href));
  const generation = worker.generate("In the beginning", { chain: chainOf(readSpec(spec)), uniforms, maxTokens: 60 });
  let text = "";
  for await (const piece of generation) text += piece.text;
  return text;
};
`;

let site: Site;

needing(BROWSER, LLAMA_MODULE).describe("grammars in Chromium", () => {
  beforeAll(async () => {
    rmSync(FOLDER, { recursive: true, force: true });
    await build({
      entryPoints: [resolve("runtime/models/thread/worker.ts")],
      stdin: { contents: PAGE, resolveDir: resolve("test") },
      bundle: true,
      format: "esm",
      platform: "browser",
      target: "es2022",
      splitting: true,
      outdir: FOLDER,
      conditions: ["@ggsl/source"],
      external: ["node:*"],
      logLevel: "warning",
    });
    writeFileSync(join(FOLDER, "index.html"), '<script type="module" src="./stdin.js"></script>');
    copyFileSync(DEMO_MODEL, join(FOLDER, "model.gguf"));
    copyFileSync(llamaModulePath(), join(FOLDER, "llama.wasm"));
    site = await openFolder(FOLDER);
  });
  afterAll(() => site?.close());

  const written = async (spec: string, uniforms: object): Promise<string> => {
    const page = patient(await site.browser.newPage());
    await page.goto(site.url);
    await page.waitForFunction("window.generate");
    const text = await page.evaluate(
      ([source, values]) =>
        (globalThis as unknown as { generate(spec: string, uniforms: object): Promise<string> }).generate(
          source,
          values,
        ),
      [spec, uniforms] as const,
    );
    await page.context().close();
    return text;
  };

  test("a text with a JSON schema is the addon's", async () => {
    const text = await written(CONSTRAINED, { g: { jsonSchema: SCHEMA } });
    const { age, kind } = JSON.parse(text) as { age: number; kind: string };
    expect(age >= 10 && age <= 99 && ["small", "large"].includes(kind)).toBe(true);
    using model = await loadModel(DEMO_MODEL, { backend: "cpu" });
    const chain = chainOf(readSpec(CONSTRAINED));
    let same = "";
    const options = { chain, uniforms: { g: { jsonSchema: SCHEMA } }, maxTokens: 60 };
    for await (const piece of model.generate("In the beginning", options)) same += piece.text;
    expect(text).toBe(same);
    expect(await written(PLAIN, {})).not.toBe("");
  });
});

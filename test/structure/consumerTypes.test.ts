/** The published types in a project with TypeScript's strictest options: what may be absent may be undefined. Run `npm run build` first. */
import { describe, expect, test } from "@jest/globals";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "../../runtime/chain/chain.js";
import { tsc } from "../codegen/ggsl.js";

const OPTIONS = `
import { compile, type GenerateOptions, type Model, type UniformValues } from "ggsl";

export async function use(model: Model, t: number | undefined): Promise<void> {
  const chain = compile("");
  const uniforms: UniformValues = { t };
  await chain.evaluate([1, 2], { uniforms: { t }, feed: { bias: undefined, inputs: undefined }, backend: undefined });
  const given: GenerateOptions = { chain, uniforms, maxTokens: undefined, stop: undefined, signal: undefined, resume: undefined };
  const generation = model.generate("", given);
  generation.setUniforms({ t });
  model.generate("", { chain, minTokens: undefined, ignoreEnd: undefined, speculate: { ngram: { min: undefined } } });
  // @ts-expect-error a text is no number
  await chain.evaluate([1, 2], { uniforms: { t: "2" } });
}
`;

/** What the programs take from their surroundings. */
const NAMES = `
declare const MODEL: string;
declare const logits: Float32Array;
declare const model: Uint8Array;
declare const vocabSize: number;
declare const prompt: readonly number[];
declare const inputs: Record<string, import("onnxruntime-node").Tensor>;
declare module "*.ggsl" {
  export const best: import("ggsl").Chain;
}
`;

/** The programs of the pages, and of the packages' own. */
const PAGES = [
  "README.md",
  ...readdirSync("docs")
    .filter((file) => file.endsWith(".md"))
    .map((file) => `docs/${file}`),
  ...["runtime", "compiler", "codegen", "settings", "format", "server"].map((folder) => `${folder}/README.npm.md`),
];
const PROGRAMS = PAGES.flatMap(
  (page) =>
    [...readFileSync(page, "utf8").matchAll(/^```[jt]s(?: \S+)?\n([^]*?)^```$/gm)].map(([, text], index) => ({
      file: `${page.replace(/[/.]/g, "-")}-${index + 1}.ts`,
      text: text!,
    })),
  // modules that a command writes: test/docs.test.ts has them
).filter(({ text }) => !text.includes(`from "./`));

test.each([false, true])("with skipLibCheck %s, and the programs of the documentation", (skipLibCheck) => {
  mkdirSync("build", { recursive: true });
  // below the root, where the packages are found
  const folder = mkdtempSync(join("build", "types-"));
  try {
    writeFileSync(join(folder, "options.ts"), OPTIONS);
    for (const { file, text } of PROGRAMS) writeFileSync(join(folder, file), text);
    writeFileSync(join(folder, "names.d.ts"), NAMES);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noEmit: true,
      skipLibCheck,
      target: "es2022",
      lib: ["es2022", "esnext.disposable"],
      types: ["node"],
      module: "nodenext",
    };
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    const faults = tsc("-p", folder)
      .stdout.split("\n")
      // libraries of others have faults of their own
      .filter((line) => line.includes("error TS") && !line.includes("node_modules/"));
    expect(faults).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("a uniform that is undefined keeps its value", async () => {
  const chain = compile('import { temp } from "std"\nchain c(t: f32 in [0.1, 9] = 2) = temp(t)');
  const written = await chain.evaluate([1, 3], { uniforms: { t: undefined } });
  expect(written).toEqual(await chain.evaluate([1, 3]));
  expect(written).not.toEqual(await chain.evaluate([1, 3], { uniforms: { t: 1 } }));
});

describe("optional properties of what a caller gives", () => {
  const pages = readdirSync("docs/interface", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && !file.endsWith("README.md"))
    .map((file) => readFileSync(join("docs/interface", file), "utf8"));
  const given = /^interface (\w*(?:Options|Request|Feed|Settings)|ChatMessage|Tool|ToolCall)\b[^{]*\{\n([^]*?)^\}$/gm;
  const optional = /^ {2}(?:readonly )?(\w+)\?:([^]*?;)\n(?! {3})/gm;

  test("may be undefined", () => {
    const found = pages.flatMap((page) =>
      [...page.matchAll(given)].flatMap(([, name, body]) =>
        [...body!.matchAll(optional)].map(([, property, type]) => ({ property: `${name}.${property}`, type: type! })),
      ),
    );
    expect(found.length).toBeGreaterThan(80);
    expect(found.filter(({ type }) => !/\bundefined;$/.test(type)).map(({ property }) => property)).toEqual([]);
  });
});

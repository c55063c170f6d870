/** llama.cpp's facts (compiler/llama) agree with their other copies: the standard library, packages, documents. */
import { describe, expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { check } from "../../compiler/check/check.js";
import type { Sampler } from "../../compiler/syntax/ast.js";
import { RELEASE } from "../../compiler/llama/release.js";
import { TAIL_SAMPLERS } from "../../compiler/llama/samplers.js";
import { stdSource } from "../../compiler/std/library.js";
import { flatten } from "../../settings/to/flatten.js";

const STANDARD = Object.keys(TAIL_SAMPLERS).filter((name) => stdSource(name) !== undefined);

describe("standard samplers have llama.cpp's parameters and defaults", () => {
  test("all of them but two", () => {
    const others = Object.keys(TAIL_SAMPLERS).filter((name) => !STANDARD.includes(name));
    expect(others).toEqual(["grammar", "infill"]);
  });

  test.each(STANDARD)("%s", (name) => {
    const text = `import { ${name} } from "std"\nchain c = ${name}()`;
    const { main, chains } = check({ name: "standard.ggsl", text }).program!;
    const { params } = main.scope.get(name)!.declaration as Sampler;
    const facts = Object.entries(TAIL_SAMPLERS[name]!.params);
    expect(params.map((p) => [p.name.text, p.type])).toEqual(facts.map(([param, { type }]) => [param, type]));
    const [stage] = flatten(main, chains[0]!, {});
    expect(stage!.args).toEqual(Object.fromEntries(facts.map(([param, fact]) => [param, fact.default])));
  });
});

test("packages pin the release", () => {
  const json = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));
  const { devDependencies } = json("package.json") as { devDependencies: Record<string, string> };
  const { packages } = json("package-lock.json") as { packages: Record<string, { version: string }> };
  expect(devDependencies["node-llama-cpp"]).toBe(RELEASE.package);
  expect(packages["node_modules/node-llama-cpp"]!.version).toBe(RELEASE.package);
  expect(RELEASE.tag).toBe(`v${RELEASE.version}`);
});

test("documents name the release", () => {
  const documents = ["docs", "examples"].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((path) => `${folder}/${String(path)}`),
  );
  const files = ["README.md", ...documents.filter((path) => path.endsWith(".md") && !path.includes("node_modules"))];
  const named = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/llama\.cpp v\d[\d.]*\d/g)].map(([name]) => `${file}: ${name}`),
  );
  expect(named.length).toBeGreaterThan(3);
  expect(named.filter((name) => !name.endsWith(`llama.cpp ${RELEASE.tag}`))).toEqual([]);
});

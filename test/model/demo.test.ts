/** No test of a model goes without the variants of ggml's CPU backend because it was forgotten. */
import { expect, test } from "@jest/globals";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

test("every test that loads a model depends on demo.ts, by which npm test finds it, or says with file.ts that rounding cannot matter", () => {
  const tests = readdirSync("test", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    // these contain programs that load a model, and look at messages and types only
    .filter((name) => !["install/addon.test.ts", "structure/types.test.ts"].includes(name));
  // a vocabulary alone computes nothing
  const loading = tests.filter((name) =>
    /\bloadModel\((?![^)]*vocabOnly: true)|generateReference\(/.test(readFileSync(join("test", name), "utf8")),
  );
  expect(loading.length).toBeGreaterThan(15);
  const forgotten = loading.filter(
    (name) => !/from ".*\/(?:demo|file)\.js"/.test(readFileSync(join("test", name), "utf8")),
  );
  expect(forgotten).toEqual([]);
});

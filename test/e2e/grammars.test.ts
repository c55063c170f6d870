/** `ggsl run --grammar FILE` and `--json-schema FILE`. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { warm } from "../cli/warm/warm.js";
import { DEMO_MODEL } from "../model/file.js";

const ggsl = warm();

let folder: string;
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ggsl-grammars-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (...args: readonly string[]): ReturnType<typeof ggsl> =>
  ggsl(["run", "--model", DEMO_MODEL, "--backend", "cpu", "--prompt", "In", ...args]);

test("--grammar sets the chain's grammar", () => {
  const grammar = file("answer.gbnf", 'root ::= "yes" | "no"');
  const { stdout } = run("examples/grammar.ggsl", "--grammar", grammar, "--json");
  expect((JSON.parse(stdout) as { text: string }).text).toMatch(/^(?:yes|no)$/);
});

test("--json-schema goes in front of a chain without a grammar", () => {
  const schema = file(
    "s.json",
    '{"type": "object", "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}}, "required": ["n"], "additionalProperties": false}',
  );
  const { stdout } = run("-e", "top_k(40) |> dist(1)", "--json-schema", schema, "-n", "200", "--json");
  expect(JSON.parse((JSON.parse(stdout) as { text: string }).text)).toEqual({ n: expect.any(Number) });
});

test("how the schema is read and written", () => {
  const schema = file(
    "u.json",
    '{"type": "object", "properties": {"n": {"type": "array", "uniqueItems": true, "items": {"type": "boolean"}, "maxItems": 2}, "x": {"contentEncoding": "base64", "const": 1}}, "required": ["n"], "maxProperties": 1, "additionalProperties": false}',
  );
  const ignore = [
    "--schema-ignore",
    "uniqueItems, not",
    "--schema-whitespace",
    "none",
    "--schema-order",
    "any",
    "--schema-others",
    "none",
  ];
  const { stdout } = run("-e", "top_k(40) |> dist(1)", "--json-schema", schema, ...ignore, "-n", "60", "--json");
  expect((JSON.parse(stdout) as { text: string }).text).toMatch(
    /^\{"n":\[(?:(?:true|false)(?:,(?:true|false))?)?\]\}$/,
  );
});

test("what is wrong is said", () => {
  const refused = (...args: readonly string[]): string => {
    const { status, stderr } = run(...args);
    expect(status).not.toBe(0);
    expect(stderr).not.toMatch(/\n {4}at /);
    return stderr;
  };
  const schema = file("good.json", "{}");
  expect(refused("-e", "greedy()", "--json-schema", file("bad.json", "[1"))).toContain("is not JSON");
  expect(refused("-e", "greedy()", "--grammar", schema, "--json-schema", schema)).toContain("cannot be used with");
  expect(refused("-e", "greedy()", "--schema-order", "any")).toContain("need --json-schema");
  expect(refused("-e", "greedy()", "--json-schema", schema, "--schema-order", "up")).toContain("declared, any");
  expect(refused("examples/grammar.ggsl", "--set", "g=1")).toContain("is a grammar, which is given with the request");
  const two = file(
    "two.ggsl",
    'import { constrain, greedy } from "std"\nchain c(a: grammar, b: grammar) = constrain(a) |> constrain(b) |> greedy()',
  );
  expect(refused(two, "--json-schema", schema)).toContain("has several grammars (a, b)");
  const spec = file("plain.graph.json", ggsl(["compile", "-e", "greedy()", "--emit", "json"]).stdout);
  expect(refused(spec, "--json-schema", schema)).toContain("of this spec has no grammar parameter");
});

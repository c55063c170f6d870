/** The hand-written facts of docs/graph.md: limits, uniform operations and the words of its example. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { UNIFORM_OPS } from "../../compiler/graph/uniformOps.js";
import { readSpec } from "../../compiler/graph/json.js";
import { LIMITS } from "../../compiler/limits/format.js";
import { encodeWire, WIRE_MAGIC, WIRE_VERSION } from "../../compiler/graph/wire.js";

const PAGE = readFileSync("docs/graph.md", "utf8");
const WIRE_HEADER = readFileSync("native/graph/wire.h", "utf8");

/** The group of the only match. */
function shown(pattern: RegExp): string {
  const found = [...PAGE.matchAll(pattern)];
  expect(found).toHaveLength(1);
  return found[0]![1]!;
}

const constant = (name: string): number =>
  Number(new RegExp(`constexpr int32_t ${name} += (\\w+);`).exec(WIRE_HEADER)![1]);

test("the limits equal the verifier's", () => {
  const rows = [...PAGE.matchAll(/^\| `(\w+)` \| (\d+) \| /gm)].map(([, name, most]) => [name, Number(most)]);
  expect(Object.fromEntries(rows)).toEqual(LIMITS);
});

test("the C++ limits equal those of its header, and no valid graph exceeds them", () => {
  const [nodes, uniforms, inputs, states, taps] = ["nodes", "uniforms", "inputs", "states", "taps"].map((name) =>
    constant(`max_${name}`),
  );
  expect(PAGE.replaceAll("\n", " ")).toContain(
    `${nodes} nodes, ${uniforms} uniforms, ${inputs} inputs, ${states} states, ${taps} taps.`,
  );
  expect(nodes).toBeGreaterThanOrEqual(LIMITS.nodes);
  expect({ uniforms, inputs, states }).toEqual({
    uniforms: LIMITS.uniforms,
    inputs: LIMITS.inputs,
    states: LIMITS.states + LIMITS.windows + LIMITS.measures + LIMITS.stops,
  });
});

test("all uniform operations are listed, by their number of operands", () => {
  const listed = [...PAGE.matchAll(/^- (one|two|three): `([^`]*)`$/gm)].flatMap(([, arity, names]) =>
    names!.split(" ").map((name) => [name, ["one", "two", "three"].indexOf(arity!) + 1]),
  );
  const known = Object.entries(UNIFORM_OPS).map(([name, { arity }]) => [name, arity]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(known));
});

test("the words of the example are its wire form", () => {
  const graph = readSpec(shown(/^```json cool\.graph\.json\n([^]*?)^```$/gm));
  const lines = shown(/^```text\n(0x[^]*?)^```$/gm)
    .trim()
    .split("\n");
  const words = lines.flatMap((line) => /^(?:(?:0x[0-9a-f]+|-?\d+) )+/.exec(line)![0].trim().split(" "));
  expect(words.map(Number)).toEqual([...encodeWire(graph)]);
});

test("magic and version are the same in C++", () => {
  expect([constant("wire_magic"), constant("wire_version")]).toEqual([WIRE_MAGIC, WIRE_VERSION]);
});

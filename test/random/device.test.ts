/** What simulated devices may do, and must not do. */
import { expect, test } from "@jest/globals";
import { compileProgram, graphOf } from "../../compiler/driver.js";
import { interpret } from "../../runtime/backends/reference/interpret.js";
import { runOtherwise } from "./device.js";

const graphFor = (body: string) =>
  graphOf(compileProgram(`sampler s() { ${body} }\nchain c = s()`, { optimize: false }));

const results = (body: string, logits: readonly number[]): Set<string> => {
  const graph = graphFor(body);
  const runs = Array.from({ length: 16 }, (_, seed) =>
    runOtherwise(graph, seed, true)(Float32Array.from(logits), new Float32Array()),
  );
  return new Set(runs.map(({ logits: found }) => Array.from(found!).join(" ")));
};

test("an exact half that a device computes approximately rounds up or down", () => {
  expect([...results("logit = round(prob)", [3, 3])].sort()).toEqual(["0 0", "0 1", "1 0", "1 1"]);
});

test("exact arithmetic is exact on every device", () => {
  expect([...results("logit = round(logit * 0.5 + 0.25)", [0.5, 2.5])]).toEqual(["1 2"]);
  const graph = graphFor("logit = count(logit > 1) + token");
  const { logits } = interpret(graph, [Float32Array.of(0, 2, 3)], new Float32Array());
  expect([...results("logit = count(logit > 1) + token", [0, 2, 3])]).toEqual([Array.from(logits!).join(" ")]);
});

/** `ggsl/onnx` over the public interface of onnxruntime-node. */
import { beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";

interface Run {
  readonly tokens: readonly number[];
  readonly states: readonly string[];
}

interface Report {
  readonly runs: readonly { readonly expected: Run; readonly found: Run; readonly f32: Run }[];
  readonly faults: readonly string[];
}

let report: Report;

beforeAll(() => {
  const { stdout, stderr, status } = spawnSync(process.execPath, ["test/emit/evaluator.mjs"], { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  report = JSON.parse(stdout) as Report;
});

test("tokens over 20 steps are those of the reference", () => {
  expect(report.runs).toHaveLength(3);
  for (const { expected, found, f32 } of report.runs) expect([found, f32]).toEqual([expected, expected]);
});

test("wrong uses are errors", () => {
  expect(report.faults).toEqual([
    expect.stringMatching(/^INVALID_ARGUMENT: `ort` must be ONNX Runtime, such as the module onnxruntime-node/),
    expect.stringMatching(/^INVALID_ARGUMENT: `ort` must be ONNX Runtime/),
    expect.stringMatching(/^INVALID_OPTION: `opset` must be an integer from 15 to 21, found 14/),
    expect.stringMatching(/^INVALID_ARGUMENT: `sums` must be one of f64, f32/),
    expect.stringMatching(/^UNSUPPORTED: ONNX Runtime cannot run the chain: /),
    expect.stringMatching(/^NOT_EMITTED: .*\n {2}.*the stage `host dist\(1\)` runs on/),
    expect.stringMatching(/^INVALID_ARGUMENT: the logit of token 7 is NaN; expected a finite number or -inf/),
    expect.stringMatching(/^INVALID_ARGUMENT: expected 300 logits, one for each token of the vocabulary, found 299/),
    expect.stringMatching(/^BUSY: another evaluation is not done yet/),
    expect.stringMatching(/^DISPOSED: this evaluator is disposed/),
  ]);
});

/** Emitted ONNX files pass ONNX's own checker, with the types and shapes that it infers. */
import { expect } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendOnnx } from "../../compiler/emit/onnx/append.js";
import { emitOnnx } from "../../compiler/emit/onnx/emit.js";
import { needing } from "../needs.js";
import { EXAMPLES, STANDARD, TYPICAL } from "./chains.js";
import { smallModel } from "./languageModel.js";
import { pythonWith, PYTHON } from "./python/python.js";

/** Debian's onnx knows the operators up to version 17. */
const OPSETS = [15, 17];
const CHECK = `
import onnx, sys
for path in sys.argv[1:]:
    try:
        onnx.checker.check_model(path, full_check=True)
    except Exception as error:
        print(path, error)
`;

function complaints(models: readonly Uint8Array[]): string {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-checker-"));
  try {
    const paths = models.map((model, i) => {
      const path = join(folder, `${i}.onnx`);
      writeFileSync(path, model);
      return path;
    });
    const { status, stdout, stderr } = spawnSync(PYTHON, ["-c", CHECK, ...paths], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const run = needing(pythonWith("onnx")).test;

/** The checker reads some hundred files. */
const LONG = 120_000;

run(
  "chains alone",
  () => {
    const chains = [...STANDARD, ...EXAMPLES, ...TYPICAL];
    expect(complaints(chains.flatMap(({ graph }) => [emitOnnx(graph), emitOnnx(graph, { vocab: 2000 })]))).toBe("");
    expect(complaints(TYPICAL.map(({ graph }) => emitOnnx(graph, { sums: "f32", opset: 15 })))).toBe("");
  },
  LONG,
);

run(
  "models with a chain at their end",
  () => {
    const models = OPSETS.flatMap((opset) =>
      (["f32", "f16"] as const).flatMap((type) =>
        [true, false].map((hasCache) => smallModel({ opset, type, hasCache }).bytes),
      ),
    );
    expect(complaints(models)).toBe("");
    expect(complaints(models.flatMap((model) => TYPICAL.map(({ graph }) => appendOnnx(graph, model))))).toBe("");
  },
  LONG,
);

run("the checker finds what is wrong", () => {
  const { bytes } = smallModel();
  const twice = Buffer.concat([bytes, bytes]);
  expect(complaints([twice])).not.toBe("");
});

/** `ggsl compile --emit onnx`. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emitOnnx } from "../../compiler/emit/onnx/emit.js";
import { compilePipeline } from "../../runtime/chain/chain.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-onnx-"));
afterAll(() => rmSync(folder, { recursive: true }));

const STAGES = "top_k(40) |> min_p(0.05) |> dist(42)";
const compile = (...args: readonly string[]): { status: number | null; stdout: Buffer; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ["runtime/dist/cli/main.js", "compile", ...args]);
  return { status, stdout, stderr: stderr.toString() };
};

test("writes the model of the token, and with --rows that of the rows, into a file or a pipe", () => {
  const { graph, rowsGraph } = compilePipeline(STAGES, { file: "-e" });
  const file = join(folder, "chain.onnx");
  expect(compile("-e", STAGES, "--emit", "onnx", "-o", file)).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(file)).toEqual(Buffer.from(emitOnnx(graph)));
  const options = ["--rows", "--vocab", "2000", "--sums", "f32", "--opset", "21"];
  const { stdout } = compile("-e", STAGES, "--emit", "onnx", ...options);
  expect(stdout).toEqual(Buffer.from(emitOnnx(rowsGraph, { vocab: 2000, sums: "f32", opset: 21 })));
});

describe("wrong uses", () => {
  test.each([
    ["an option of another form", 2, "--rows is no option of --emit json", ["-e", STAGES, "--rows"]],
    ["a vocabulary of text", 2, "--vocab", ["-e", STAGES, "--emit", "onnx", "--vocab", "model.gguf"]],
    ["sums of another type", 2, "Allowed choices are f64, f32", ["-e", STAGES, "--emit", "onnx", "--sums", "f16"]],
    ["an old opset", 1, "`opset` must be an integer from 15 to 21", ["-e", STAGES, "--emit", "onnx", "--opset", "9"]],
    [
      "a host tail",
      1,
      "-e:1:14: the stage `host dist(1)` runs on",
      ["-e", "top_k(40) |> host dist(1)", "--emit", "onnx"],
    ],
  ])("%s", (_, status, message, args) => {
    const found = compile(...args);
    expect(found.stderr).toContain(message);
    expect(found.status).toBe(status);
    expect(found.stdout).toHaveLength(0);
  });
});

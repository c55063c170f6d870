/**
 * `npm run example:onnx`: serves examples/onnx, a page with the demo model on WebGPU. It first writes the model to build/onnx-model, as
 * `model.onnx` and what the page must know of it as `model.json`.
 */
import { join } from "node:path";
import { writeOnnxModel } from "./lib/onnxModel.js";
import { attemptNode, root } from "./lib/process.js";
import { setUp } from "./setup.js";

export async function main(options: readonly string[]): Promise<number> {
  await setUp();
  await writeOnnxModel(join(root, "build", "onnx-model"));
  const vite = join("node_modules", "vite", "bin", "vite.js");
  return (await attemptNode([vite, "-c", "examples/onnx/vite.config.ts", ...options], { stdio: "inherit" })).status;
}

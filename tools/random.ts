/**
 * `npm run random -- --cases 5000 --seed 7 --backend reference,cpu`: the tests of random programs, with more programs or
 * another seed. With vulkan they run in processes of a few programs each; vulkan alone is compared with the reference and the
 * CPU. Progress is printed every few seconds; Ctrl-C ends it. With --passes they are programs over wide columns, and the CPU's passes
 * are compared with its ops; with --onnx they run in onnxruntime-node and are compared with the reference, with --python
 * in Debian's NumPy and PyTorch. With --c the C library's uniforms and inputs are compared with those in TypeScript.
 */
import { buildLibrary } from "./build-native.js";
import { jest } from "./jest.js";
import { count, readArguments } from "./lib/arguments.js";
import { setUp } from "./setup.js";

/** The tests of each kind of comparison, and the variable with its number of programs. */
const KINDS = {
  backends: { variable: "GGSL_RANDOM_COUNT", files: ["test/random/random.test.ts"] },
  vulkan: { variable: "GGSL_RANDOM_COUNT", files: ["test/vulkan/random.test.ts"] },
  passes: { variable: "GGSL_WIDE_COUNT", files: ["test/random/fused.test.ts"] },
  onnx: { variable: "GGSL_ONNX_COUNT", files: ["test/emit/random.test.ts"] },
  python: { variable: "GGSL_PYTHON_COUNT", files: ["test/emit/python/random.test.ts"] },
  c: { variable: "GGSL_C_COUNT", files: ["test/c/steps.test.ts", "test/c/verdicts.test.ts"] },
};

export async function main(args: readonly string[]): Promise<number> {
  const { values } = readArguments(
    "npm run random -- [--cases N] [--seed N] [--backend LIST | --passes | --onnx | --python | --c]",
    {
      args,
      options: {
        cases: { type: "string", default: "5000" },
        seed: { type: "string" },
        backend: { type: "string", default: "reference,cpu,wasm" },
        passes: { type: "boolean", default: false },
        onnx: { type: "boolean", default: false },
        python: { type: "boolean", default: false },
        c: { type: "boolean", default: false },
      },
    },
  );
  // a difference needs backends to compare with
  const backends = values.backend === "vulkan" ? "reference,cpu,vulkan" : values.backend;
  const asked = (["onnx", "python", "passes", "c"] as const).find((name) => values[name]);
  const kind = asked ?? (backends.includes("vulkan") ? "vulkan" : "backends");
  const { variable, files } = KINDS[kind];
  const env = {
    [variable]: count("cases", values.cases),
    ...(values.seed !== undefined && { GGSL_RANDOM_SEED: count("seed", values.seed) }),
    GGSL_BACKENDS: backends,
  };
  await setUp();
  if (kind === "c") await buildLibrary();
  // in one process, so that output appears at once
  return jest(["--runInBand", ...files], { env });
}

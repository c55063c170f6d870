/**
 * `npm run check:cuda`: compiles the CUDA code that samplers run, from llama.cpp's source, for an H100 or H200. It needs no GPU, and
 * runs nothing of it. The compiler is nvcc in PATH, or Debian's, unpacked in build/. Writes docs/cuda.md. Not part of `npm test`.
 */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { RELEASE } from "@ggsl/compiler/llama/release.js";
import { unpackSource } from "./build-native.js";
import { readArguments } from "./lib/arguments.js";
import { findToolkit, type Toolkit } from "./lib/cudaToolkit.js";
import { writeGenerated } from "./lib/generated.js";
import { fill, table } from "./lib/markdown.js";
import { attempt, jobs, root, ToolError } from "./lib/process.js";

/** Compute capability 9.0. */
const ARCHITECTURE = "90";

/** Files of ggml's CUDA backend, with what samplers use of them. */
const FILES: Readonly<Record<string, string>> = {
  "ggml-cuda": "the backend: devices, buffers, graphs, and which op each file computes",
  arange: "`arange`",
  argmax: "`argmax`",
  argsort: "`argsort`, and llama.cpp's `top_k`",
  binbcast: "`add`, `sub`, `mul`, `div`, `repeat`",
  clamp: "`clamp`",
  concat: "llama.cpp's graphs",
  cpy: "copies, `cast`, strided rows made contiguous",
  cumsum: "`cumsum`",
  fill: "`fill`",
  getrows: "`get_rows`",
  norm: "a model's graph",
  pad: "llama.cpp's graphs",
  roll: "`roll`",
  scale: "`scale`",
  "set-rows": "`set_rows`",
  softmax: "`soft_max`",
  sum: "llama.cpp's `min_p`, `top_p` and `dist`",
  sumrows: "`sum_rows`",
  "top-k": "`top_k`",
  tri: "llama.cpp's graphs",
  unary: "`abs`, `neg`, `sgn`, `step`, `exp`, `log`, `sqrt`, `sqr`, `sigmoid`, `tanh`, `floor`, `ceil`, `round`",
};

/** As ggml's own CMake files compile it. */
const OPTIONS = [
  ...["-std=c++17", "-O3", "-use_fast_math", "-extended-lambda"],
  `-gencode=arch=compute_${ARCHITECTURE},code=sm_${ARCHITECTURE}`,
  ...["GGML_BACKEND_BUILD", "GGML_BACKEND_DL", "GGML_BACKEND_SHARED", "GGML_SHARED", "GGML_SCHED_MAX_COPIES=4"].map(
    (d) => `-D${d}`,
  ),
  ...["GGML_CUDA_USE_GRAPHS", "GGML_CUDA_NO_FA", "GGML_CUDA_PEER_MAX_BATCH_SIZE=128", "_GNU_SOURCE"].map(
    (d) => `-D${d}`,
  ),
];

interface Compiled {
  readonly name: string;
  readonly seconds: number;
  /** What the compiler printed, if it failed. */
  readonly fault?: string;
}

export async function main(args: readonly string[]): Promise<number> {
  const usage = "npm run check:cuda -- [--only FILE]";
  const { values } = readArguments(usage, { args: [...args], options: { only: { type: "string" } } });
  const names = Object.keys(FILES).filter((name) => values.only === undefined || name === values.only);
  if (names.length === 0)
    throw new ToolError(`--only: expected one of ${Object.keys(FILES).join(", ")}, found ${values.only}`);
  await unpackSource();
  const toolkit = await findToolkit();
  const host = await hostCompiler();
  console.log(`check:cuda: nvcc ${toolkit.version} (${toolkit.source}) with ${host.version}, ${names.length} files`);
  const compiled = await compileAll(names, toolkit, host.path);
  const failed = compiled.filter(({ fault }) => fault !== undefined);
  for (const { name, fault } of failed) console.error(`\n${name}.cu:\n${fault}`);
  console.log(`check:cuda: ${compiled.length - failed.length} compiled, ${failed.length} failed`);
  if (failed.length === 0 && values.only === undefined) writeGenerated("docs/cuda.md", pageOf(toolkit, host.version));
  return failed.length === 0 ? 0 : 1;
}

/** g++ 12, which every CUDA from 12.0 on supports, else g++. */
async function hostCompiler(): Promise<{ path: string; version: string }> {
  for (const path of ["g++-12", "g++"]) {
    const { status, output } = await attempt(path, ["-dumpfullversion"]);
    if (status === 0) return { path, version: `g++ ${output.trim()}` };
  }
  throw new ToolError("check:cuda: there is no g++. On Debian or Ubuntu, as root: apt-get install g++");
}

async function compileAll(names: readonly string[], toolkit: Toolkit, host: string): Promise<Compiled[]> {
  const left = [...names];
  const compiled: Compiled[] = [];
  const worker = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) {
      const result = await compile(name, toolkit, host);
      compiled.push(result);
      const verdict = result.fault === undefined ? "ok" : "FAILED";
      console.log(`[${compiled.length}/${names.length}] ${name}.cu: ${verdict}, ${result.seconds.toFixed(0)} s`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, names.length) }, worker));
  return compiled;
}

async function compile(name: string, { nvcc }: Toolkit, host: string): Promise<Compiled> {
  const ggml = join(root, "build", "llama.cpp", "ggml");
  const file = join(ggml, "src", "ggml-cuda", `${name}.cu`);
  if (!existsSync(file)) return { name, seconds: 0, fault: `expected ${file}, found no such file` };
  const objects = join(root, "build", "cuda-check");
  mkdirSync(objects, { recursive: true });
  const include = [join(ggml, "include"), join(ggml, "src")].map((folder) => `-I${folder}`);
  const start = performance.now();
  const { status, output, reason } = await attempt(nvcc, [
    ...[...OPTIONS, ...include, "-ccbin", host, "-Xcompiler", "-fPIC"],
    ...["-c", file, "-o", join(objects, `${name}.o`)],
  ]);
  const seconds = (performance.now() - start) / 1000;
  return { name, seconds, ...(status !== 0 && { fault: reason ?? output }) };
}

function pageOf({ version, source }: Toolkit, host: string): string {
  return fill("cuda.md", {
    release: RELEASE.tag,
    architecture: `sm_${ARCHITECTURE}`,
    compiler: `nvcc ${version} (${source}) with ${host}`,
    date: new Date().toISOString().slice(0, 10),
    files: table(
      ["file", "for"],
      Object.entries(FILES).map(([name, use]) => [`\`${name}.cu\``, use]),
    ),
  });
}

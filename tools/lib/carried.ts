/** The `ggsl` command that the extension carries: the files of the published packages that the command needs on every platform. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { manifestOf } from "./packages.js";
import { LLAMA_MODULE } from "./playground.js";
import { root } from "./process.js";
import { STARTED_PATHS } from "./startedFiles.js";

interface Carried {
  /** The files by their paths in the package. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  /** Whether it runs models, by the WebAssembly module with llama.cpp. */
  readonly hasModel: boolean;
}

/** Reads them from a checkout that is built. */
export function carriedFiles(): Carried {
  const files: Record<string, Uint8Array> = {};
  const add = (to: string, from: string): void => void (files[to] = readFileSync(join(root, from)));
  const addFolder = (to: string, from: string, isAdded = (_: string): boolean => true): void =>
    readdirSync(join(root, from))
      .filter(isAdded)
      .forEach((name) => add(`${to}/${name}`, join(from, name)));

  const { name, version } = manifestOf("runtime");
  const manifest = { name, version, type: "module", bin: { ggsl: "./dist/cli/main.js" }, carried: true };
  files["package.json"] = new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`);
  add("LICENSE", "LICENSE");
  addFolder("dist/cli", "runtime/dist/cli");
  add("dist/wasm/ggsl.wasm", "runtime/wasm/ggsl.wasm");
  for (const path of STARTED_PATHS) add(`dist/${path}`, `runtime/dist/${path}`);
  add("model/demo-q8_0.gguf", "examples/model/demo-q8_0.gguf");
  add("model/README.md", "examples/model/README.md");
  // definitions in the standard library are shown in its sources
  add("node_modules/@ggsl/compiler/package.json", "compiler/package.json");
  addFolder("node_modules/@ggsl/compiler/std", "compiler/std", (file) => file.endsWith(".ggsl"));
  const jinja = "node_modules/@huggingface/jinja";
  for (const file of ["package.json", "LICENSE", "dist/index.js"]) add(`${jinja}/${file}`, `${jinja}/${file}`);

  const hasModel = existsSync(join(root, LLAMA_MODULE));
  if (hasModel) add("dist/wasm/ggsl-llama.wasm", LLAMA_MODULE);
  return { files, hasModel };
}

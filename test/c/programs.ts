/** Programs of other languages, compiled against build/c, which `npm test` builds. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Result } from "../codegen/ggsl.js";

/** Where libggsl is installed. */
export const PREFIX = resolve("build/c");
if (!existsSync(PREFIX)) throw new Error("expected build/c, found none. Run: npm run build:c");

export const HEADER = join(PREFIX, "include", "ggsl.h");
export const LIBRARY = join(PREFIX, "lib", "libggsl.so");
/** Options of `ggsl run` and llama-server with which a text of the exact model hardly depends on what else is in the batch. */
export const EXACT_OPTIONS = ["--cache-type-k", "f32", "--cache-type-v", "f32", "--flash-attn", "off"];
/** Directories of llama.cpp's headers: its own and ggml's. */
export const LLAMA_HEADERS = ["build/llama.cpp/include", "build/llama.cpp/ggml/include"].map((path) => resolve(path));

/** Runs a program. It is not told which CPU variant the tests of models run on: ggml chooses the best by itself. */
export function program(
  command: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: object } = {},
): Result {
  const env = { ...process.env, GGSL_CPU_VARIANT: "", ...options.env };
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: "utf8", ...options, env });
  if (error) throw error;
  return { status, stdout, stderr };
}

/** Standard output of a program that succeeds. */
export function outputOf(
  command: string,
  args: readonly string[],
  options: Parameters<typeof program>[2] = {},
): string {
  const { status, stdout, stderr } = program(command, args, options);
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

/** Calls a function with a folder outside the checkout, which is removed afterwards. */
export function inFolder<T>(action: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "ggsl-c-"));
  try {
    return action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a C program prints that needs headers only. */
export const runC = (source: string, ...options: readonly string[]): string =>
  inFolder((folder) => {
    const [file, binary] = [join(folder, "main.c"), join(folder, "main")];
    writeFileSync(file, source);
    outputOf("gcc", ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", ...options, file, "-o", binary]);
    return outputOf(binary, []);
  });

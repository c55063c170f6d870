/** A store of samplers for tests, whose thread starts fast: from a bundle, which is made once for a test file. */
import { build } from "esbuild";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Refusal } from "../../server/refusal.js";
import { Samplers, type SamplersOptions } from "../../server/samplers/samplers.js";

export const VOCAB_SIZE = 512;

/** A folder for the files of a test; it is removed when the process ends. */
export const folder = mkdtempSync(join(tmpdir(), "ggsl-store-"));
process.on("exit", () => rmSync(folder, { recursive: true }));

const outfile = join(folder, "worker.mjs");
await build({
  entryPoints: ["server/samplers/worker.ts"],
  outfile,
  bundle: true,
  format: "esm",
  platform: "node",
  conditions: ["@ggsl/source"],
  logLevel: "error",
});

export const openStore = (options: Partial<SamplersOptions> = {}): Samplers =>
  new Samplers({
    vocabSize: VOCAB_SIZE,
    deadline: 60_000,
    script: { url: pathToFileURL(outfile), execArgv: [] },
    ...options,
  });

/** The refusal of something that must be refused. */
export async function refusalOf(result: Promise<unknown>): Promise<Refusal> {
  try {
    await result;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("it is not refused");
}

/** The code of the first diagnostic of a sampler with errors, else that of the refusal. */
export const codeOf = ({ code, diagnostics = [] }: Refusal): string =>
  diagnostics.find(({ severity }) => severity === "error")?.code ?? code;

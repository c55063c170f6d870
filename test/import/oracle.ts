/**
 * llama.cpp's own programs as the oracle: their command line, and the sampler chain that they make of it, from the test-only addon
 * build/Release/ggsl_common_oracle.node.
 */
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ADDON = fileURLToPath(new URL("../../build/Release/ggsl_common_oracle.node", import.meta.url));

export interface LlamaOption {
  readonly names: readonly string[];
  /** Words after a name. */
  readonly values: number;
  readonly isSampling: boolean;
}

/** Every option of every program. */
export const llamaOptions = (): readonly LlamaOption[] =>
  (createRequire(import.meta.url)(ADDON) as { commonOptions(): LlamaOption[] }).commonOptions();

const SCRIPT = `
const { createRequire } = await import("node:module");
const { addon, cases, prompt, count } = JSON.parse(process.argv[1]);
const { commonTokens } = createRequire(addon)(addon);
const found = cases.map((words) => [...commonTokens([...words, "--log-disable"], Int32Array.from(prompt), count)]);
process.stdout.write("\\n" + JSON.stringify(found));
`;

/**
 * The tokens that llama.cpp's programs generate with each command line. They run in a process of their own: the parser keeps in a
 * static variable whether the breakers of DRY were given before.
 */
export function llamaTokens(cases: readonly (readonly string[])[], prompt: Int32Array, count: number): number[][] {
  const argument = JSON.stringify({ addon: ADDON, cases, prompt: [...prompt], count });
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", SCRIPT, argument], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`the oracle failed (${status ?? "killed"}): ${stderr.slice(-2000)}`);
  return JSON.parse(stdout.slice(stdout.lastIndexOf("\n") + 1)) as number[][];
}

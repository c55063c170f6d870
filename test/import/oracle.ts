/**
 * llama.cpp's own programs as the oracle: their command line, and the sampler chain that they make of it, from the test-only addon
 * build/Release/ggsl_common_oracle.node.
 */
import { createRequire } from "node:module";
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const ADDON = fileURLToPath(new URL("../../build/Release/ggsl_common_oracle.node", import.meta.url));

interface LlamaOption {
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
const { addon, name, calls } = JSON.parse(process.argv[1]);
const ask = createRequire(addon)(addon)[name];
const found = calls.map(([words, ...rest]) => {
  const given = rest.map((value) => (Array.isArray(value) ? Int32Array.from(value) : value));
  return [...ask([...words, "--log-disable"], ...given)];
});
process.stdout.write("\\n" + JSON.stringify(found));
`;

/**
 * Calls a function of the addon with each of the arguments, a command line the first. They run in a process of their own: the parser
 * keeps in a static variable whether the breakers of DRY were given before.
 */
function ask(name: string, calls: readonly (readonly unknown[])[]): number[][] {
  const argument = JSON.stringify({ addon: ADDON, name, calls });
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", SCRIPT, argument], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`the oracle failed (${status ?? "killed"}): ${stderr.slice(-2000)}`);
  return JSON.parse(stdout.slice(stdout.lastIndexOf("\n") + 1)) as number[][];
}

/** The tokens that llama.cpp's programs generate with each command line. */
export const llamaTokens = (cases: readonly (readonly string[])[], prompt: Int32Array, count: number): number[][] =>
  ask(
    "commonTokens",
    cases.map((words) => [words, [...prompt], count]),
  );

/** What they may pick after the first tokens when the logits are off by up to `off`: test/model/ties.ts. */
export const llamaPicksNear = (
  words: readonly string[],
  prompt: Int32Array,
  follow: readonly number[],
  off: number,
): readonly number[] => ask("commonPicksNear", [[words, [...prompt], [...follow], off]])[0]!;

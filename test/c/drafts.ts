/** Texts with drafts through libggsl, by native/test/drafts_test.cc. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileProgram, compileStages, graphOf } from "../../compiler/driver.js";
import type { Graph } from "../../compiler/graph/graph.js";
import { writeSpec } from "../../compiler/graph/json.js";
import { checkLlama } from "../../tools/build-native.js";

const PROGRAM = join(import.meta.dirname, "../../build/Release/ggsl_drafts_test");

const stages = (source: string): Graph => graphOf(compileStages(source));

/** Chains whose rows are known before the model runs: what they read of the text, draw, and keep. */
export const KNOWN: Readonly<Record<string, Graph>> = {
  default: stages("top_k(40) |> top_p(0.95) |> min_p(0.05) |> temp(0.8) |> dist(42)"),
  noise: stages("temp(0.9) |> gumbel(7)"),
  repetition: stages("penalties(64, 1.3) |> dry(0.8) |> top_k(20) |> dist(3)"),
  grammar: graphOf(compileProgram('sampler g() { keep allowed("root ::= [a-z ]+") pick sample(5) }\nchain c() = g()')),
  states: graphOf(
    compileProgram(`sampler w(q: tokens) {
  state seen: i32 = prompt_length
  keep token not in q and token not in tokens.control
  logit /= 0.5 + 0.01 * seen
  if ends_with("e") or last(1) < 300 { logit += occurrences(8) }
  measure left = n
  stop when step == 9 as "nine"
  pick sample(11)
  after pick { seen = seen + 1 }
}
chain c(q: tokens(4) = tokens(5, 300)) = w(q)`),
  ),
};

/** One whose states depend on the picked token. */
export const UNKNOWN = stages("mirostat_v2(5, 0.1, seed: 7)");

export interface DraftedText {
  readonly tokens: readonly number[];
  /** Tokens that were picked in the model's graph, with drafts and without. */
  readonly inGraph: number;
  readonly plainInGraph: number;
  readonly decodes: number;
  readonly refusal: string;
  readonly saved: readonly [unknown, unknown];
}

/** Runs the program with specs of the chains. Returns what it prints. */
export function runDrafts(folder: string, args: readonly string[], graphs: readonly Graph[]): string {
  const [mode = "", ...rest] = args;
  const files = graphs.map((graph, i) => {
    const file = join(folder, `${i}.graph.json`);
    writeFileSync(file, writeSpec(graph));
    return file;
  });
  const { status, stdout, stderr } = spawnSync(PROGRAM, [mode, checkLlama().libraries, ...rest, ...files], {
    encoding: "utf8",
    env: { GGML_VK_VISIBLE_DEVICES: "0", ...process.env },
  });
  if (status !== 0) throw new Error(`${args.join(" ")}: status ${status}\n${stderr}`);
  return stdout;
}

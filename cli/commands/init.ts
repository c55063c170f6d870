/** `ggsl init`: a first program, with a test, and what to do with it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { shellText } from "@ggsl/settings/to/export.js";
import { InputError } from "ggsl/core/errors.js";
import { reasonOf } from "../files.js";

const NAME = "first.ggsl";

const PROGRAM = `// A chain of samplers: each stage drops tokens or changes their logits, and the last stage picks a token.
import { top_k, temp, dist } from "std"

/// Drop tokens that are far less likely than the likeliest one.
sampler near(share: f32 in [0, 1] = 0.1) {
  keep prob >= share * max(prob)
}

/// At temperature \`t\`, which \`--set t=1.2\` changes.
chain first(t: f32 >= 0 = 0.8) = top_k(40) |> near() |> temp(t) |> dist()

test "far tokens are dropped" {
  probs  [0.5, 0.3, 0.15, 0.04, 0.01]
  run    near(0.2)
  expect kept [0, 1, 2]
}
`;

export const addInit = (command: Command): Command =>
  command.argument("[folder]", "where to write it; made if it does not exist", ".").action((folder: string) => {
    const file = join(folder, NAME);
    write(folder, file);
    const next = [
      ["test", file],
      ["eval", file, "--probs", "0.5,0.3,0.15,0.04,0.01"],
      ["run", file, "--prompt", "In the beginning"],
    ];
    const lines = next.map((words) => `  ${shellText(["npx", "ggsl", ...words])}\n`);
    process.stdout.write(`wrote ${file}\n\nNext:\n${lines.join("")}`);
  });

function write(folder: string, file: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    // fails if the file exists
    writeFileSync(file, PROGRAM, { flag: "wx" });
  } catch (error) {
    if (existsSync(file)) throw new InputError(`"${file}" exists, and is not overwritten`, { code: "FILE_EXISTS" });
    throw new InputError(`"${file}" cannot be written: ${reasonOf(error)}`, { code: "UNWRITABLE_FILE" });
  }
}

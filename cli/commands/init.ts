/** `ggsl init`: a first program, with a test, or a package of samplers for others, and what to do with it. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { Command } from "commander";
import { shellText } from "@ggsl/settings/to/export.js";
import { InputError } from "ggsl/core/errors.js";
import { packagePath } from "@ggsl/compiler/source/importer.js";
import { reasonOf } from "../files.js";
import { libraryFiles } from "../library.js";
import { UsageError } from "../usage.js";

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

interface Options {
  readonly library?: true;
  readonly name?: string;
}

export const addInit = (command: Command): Command =>
  command
    .argument("[folder]", "where to write it; made if it does not exist", ".")
    .option("--library", "write an npm package of samplers, which other programs can import")
    .option("--name <package>", "the name of the package, such as @someone/samplers (default: that of the folder)")
    .action((folder: string, { library, name }: Options) => {
      if (name !== undefined && !library) throw new UsageError("--name is for a package: give --library, too");
      if (library) writeLibrary(folder, nameOf(folder, name), command.parent?.version() ?? "0.0.0");
      else writeFirst(folder);
    });

function writeFirst(folder: string): void {
  const file = join(folder, NAME);
  write(folder, file, PROGRAM);
  next([
    ["npx", "ggsl", "test", file],
    ["npx", "ggsl", "eval", file, "--probs", "0.5,0.3,0.15,0.04,0.01"],
    ["npx", "ggsl", "run", file, "--prompt", "In the beginning"],
  ]);
}

function writeLibrary(folder: string, name: string, version: string): void {
  const files = Object.entries(libraryFiles(name, version));
  const present = files.map(([file]) => join(folder, file)).find((file) => existsSync(file));
  if (present !== undefined) throw exists(present);
  for (const [file, text] of files) write(folder, join(folder, file), text);
  next([
    ["cd", folder],
    ["npx", "ggsl", "test", "samplers.ggsl"],
    ["npm", "pack"],
  ]);
}

/** The name of a package. Throws `UsageError` for one that npm would refuse. */
function nameOf(folder: string, given: string | undefined): string {
  const name = given ?? basename(resolve(folder)).toLowerCase().replace(/\s+/g, "-");
  if (packagePath(name)?.subpath === "." && name === name.toLowerCase() && !/^[._]|\/[._]/.test(name)) return name;
  const found = given === undefined ? `found the folder's name, "${name}"` : `found "${name}"`;
  throw new UsageError(`expected the name of an npm package, as in --name @someone/samplers, ${found}`);
}

function next(commands: readonly (readonly string[])[]): void {
  const lines = commands.map((words) => `  ${shellText(words)}\n`);
  process.stdout.write(`\nNext:\n${lines.join("")}`);
}

function write(folder: string, file: string, text: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    // fails if the file exists
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    if (existsSync(file)) throw exists(file);
    throw new InputError(`"${file}" cannot be written: ${reasonOf(error)}`, { code: "UNWRITABLE_FILE" });
  }
  process.stdout.write(`wrote ${file}\n`);
}

const exists = (file: string): InputError =>
  new InputError(`"${file}" exists, and is not overwritten: name another folder, as in ggsl init NAME`, {
    code: "FILE_EXISTS",
  });

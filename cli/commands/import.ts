/** `ggsl import`: converts the sampling settings of other tools to a program. */
import { closeSync, readSync } from "node:fs";
import { Argument, InvalidArgumentError, Option, type Command } from "commander";
import { visible } from "@ggsl/compiler/source/visible.js";
import {
  describeNotes,
  importFile,
  importWords,
  KINDS,
  type ByteSource,
  type ImportOptions,
} from "@ggsl/settings/from/import.js";
import { openRegular } from "@ggsl/compiler/disk.js";
import { InputError } from "ggsl/core/errors.js";
import { disk, MAX_BYTES, readBytes, unreadable, writeOutput } from "../files.js";
import { UsageError } from "../usage.js";
import { withValues } from "../values.js";
import { say } from "../terminal.js";

interface Options {
  readonly from?: string;
  readonly output?: string;
  readonly eos?: number[];
}

export const addImport = (command: Command): Command =>
  command
    .addArgument(
      withValues(
        new Argument("<words...>", "a FILE of settings, - for standard input, or a llama.cpp command line after --"),
        { files: [] },
      ),
    )
    .addOption(
      new Option("--from <tool>", "the tool that the settings belong to (default: detected from the keys)").choices(
        KINDS,
      ),
    )
    .option("-o, --output <file>", "write to a file instead of standard output")
    .option("--eos <ids>", "the end-of-text tokens, as in 2 or 1,107, for settings that refer to them", tokenIds)
    .addHelpText(
      "after",
      "\n    ggsl import generation_config.json -o chain.ggsl\n    ggsl import -- --temp 0.7 --top-k 20",
    )
    .action((words: string[], options: Options) => {
      const { text, notes, tool } = read(words, options);
      if (options.from === undefined) say(`note: read as the settings of ${tool}\n`);
      for (const line of describeNotes(notes)) say(`${visible(line)}\n`);
      if (options.output === undefined) process.stdout.write(text);
      else writeOutput(options.output, text);
    });

function read(words: readonly string[], { from, eos }: Options): ReturnType<typeof importFile> {
  const options: ImportOptions = eos ? { eos } : {};
  const [first = ""] = words;
  const isCommandLine = words.length > 1 || (first.startsWith("-") && first !== "-");
  if (isCommandLine) {
    if (from !== undefined && from !== "llama.cpp")
      throw new UsageError(`expected one FILE of ${from}; only llama.cpp command lines can be imported`);
    return importWords(words, options);
  }
  if (first === "-") return importFile(sourceOf(readBytes(first, MAX_BYTES.settings)), "standard input", from, options);
  const { file, size } = open(first);
  try {
    return importFile({ size, read: (offset, length) => readAt(file, offset, length) }, first, from, options);
  } finally {
    closeSync(file);
  }
}

const sourceOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: (offset, length) => bytes.subarray(offset, offset + length),
});

/** Reads only the requested ranges: a model file may be larger than memory. */
function open(path: string): ReturnType<typeof openRegular> {
  try {
    return openRegular(disk, path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

function readAt(file: number, offset: number, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let done = 0;
  while (done < length) {
    const count = readSync(file, bytes, done, length - done, offset + done);
    if (count === 0)
      throw new InputError(`the file ended at byte ${offset + done} while it was being read`, {
        code: "UNREADABLE_FILE",
      });
    done += count;
  }
  return bytes;
}

function tokenIds(text: string): number[] {
  if (!/^\d{1,9}(?:,\d{1,9})*$/.test(text)) throw new InvalidArgumentError("Expected token ids, as in 2 or 1,107.");
  return text.split(",").map(Number);
}

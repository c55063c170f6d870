/** The command line: random arguments and damaged files, each in a process of its own. */
import * as fc from "fast-check";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { defineGenerator, Wrong } from "../core/generator.js";
import { shorter, shorterTexts } from "../core/shrink.js";
import { programTexts, TEXTS } from "./programs.js";

interface Command {
  readonly words: readonly string[];
  /** The content of the file FILE. */
  readonly text: string;
}

const ACTIONS = [
  "check",
  "compile",
  "eval",
  "test",
  "explain",
  "gen",
  "fmt",
  "import",
  "export",
  "devices",
  "run",
  "",
  "frobnicate",
];

const WORDS = [
  ...["FILE", "FILE", "FILE", "c", "example", "--emit", "text", "json", "dot", "-e", "temp(0.8) |> dist(1)", "top_k("],
  ...[
    "--logits",
    "1,2,3",
    "-inf,nan,1e999",
    "",
    "[1, 2]",
    "--probs",
    "0.1,0.9",
    "--history",
    "0,1,-1",
    "--seed",
    "7",
    "-1",
    "4294967296",
  ],
  ...[
    "--uniform",
    "0.5",
    "2",
    "--set",
    "t=1.2",
    "t=",
    "=",
    "t=nan",
    "__proto__=1",
    "--backend",
    "reference",
    "abacus",
    "--device",
    "99",
  ],
  ...[
    "--strict",
    "--bias",
    "0:1",
    "0:",
    "99999999999:-inf",
    "--input",
    "x=1:5",
    "--steps",
    "3",
    "1e9",
    "--json",
    "--to",
    "llama.cpp",
  ],
  ...[
    "--check",
    "--html",
    "-o",
    "OUT",
    "--help",
    "--version",
    "--",
    "-",
    "/dev/null",
    "/",
    "nothing.ggsl",
    "\x1b[31m",
    "é",
    "x".repeat(3000),
  ],
];

const commands: fc.Arbitrary<Command> = fc
  .tuple(
    fc.constantFrom(...ACTIONS),
    fc.array(fc.constantFrom(...WORDS), { maxLength: 7, size: "max" }),
    fc.oneof(
      programTexts,
      fc.constantFrom("", "\0", "{}", '{"ggsl": 1}', '{"top_k": 1e999}', "GGUF\0\0\0\0", ...TEXTS),
    ),
  )
  .map(([action, words, text]) => ({ words: [action, ...words].filter((w, i) => i > 0 || w !== ""), text }));

/** What a message for users never contains. */
const INTERNAL =
  /internal error|Cannot (?:read|set) propert|is not (?:a function|iterable|a constructor)|call stack|^\s+at .*:\d+:\d+\)?$|heap out of memory/im;

/** Control characters, other than those that a terminal takes as text. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

export const commandLine = defineGenerator<Command>({
  name: "commands",
  doc: "the command line: random arguments and damaged files",
  cases: commands,
  run({ words, text }) {
    const folder = mkdtempSync(join(tmpdir(), "ggsl-fuzz-"));
    const named = (word: string): string => (word === "FILE" ? "case.ggsl" : word === "OUT" ? "out.html" : word);
    writeFileSync(join(folder, "case.ggsl"), text);
    const args = [resolve("runtime/dist/cli/main.js"), ...words.map((word) => named(word).replaceAll("\0", ""))];
    const ended = spawnSync(process.execPath, args, {
      cwd: folder,
      encoding: "utf8",
      timeout: 30_000,
      input: "",
      maxBuffer: 2 ** 26,
      env: { ...process.env, NO_COLOR: "1" },
    });
    rmSync(folder, { recursive: true });
    const { status, signal, stdout, stderr } = ended;
    if (status === null || ![0, 1, 2].includes(status))
      throw new Wrong(`${signal ?? `status ${status}`}: ${stderr.slice(-500)}`);
    const line = INTERNAL.exec(stderr)?.[0];
    if (line !== undefined) throw new Wrong(`the message ${JSON.stringify(line)}: ${stderr.slice(0, 1000)}`);
    if (status !== 0 && stderr === "" && stdout === "") throw new Wrong(`status ${status} without a message`);
    if (CONTROL.test(stderr)) throw new Wrong("the messages contain control characters");
    if (stderr.length > 2 ** 20) throw new Wrong(`messages of ${stderr.length} characters`);
  },
  *smaller(c) {
    for (const words of shorter(c.words)) yield { ...c, words };
    for (const text of shorterTexts(c.text)) yield { ...c, text };
  },
});

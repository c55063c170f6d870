/** The completion scripts in real shells: each completes commands, options, values and files as a user types them. */
import { afterAll, afterEach, beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { addCommand, COMMANDS } from "../../cli/commands.js";
import { bashScript } from "../../cli/completion/bash.js";
import { fishScript } from "../../cli/completion/fish.js";
import { listedCommands, type Listed } from "../../cli/completion/tree.js";
import { zshScript } from "../../cli/completion/zsh.js";
import { STD_NAMES } from "../../compiler/std/library.js";
import { isSet, needing, program, TERMINAL } from "../needs.js";
import { endAll, MAIN, startInTerminal } from "./run.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-completion-"));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

let listed: readonly Listed[];
beforeAll(async () => {
  const program = new Command("ggsl");
  for (const name of Object.keys(COMMANDS)) await addCommand(program, name);
  listed = listedCommands(program);
  mkdirSync(join(folder, "sub folder"));
  for (const name of ["one.ggsl", "two.ggsl", "model.gguf", "notes.txt", "list.json", "g.gbnf"])
    writeFileSync(join(folder, name), "");
  for (const [shell, script] of [
    ["bash", bashScript],
    ["zsh", zshScript],
    ["fish", fishScript],
  ] as const)
    writeFileSync(join(folder, `.${shell}`), script(listed));
});

const inShell = (name: string, tests: () => void): void =>
  needing(program([name], { isRequired: isSet("GGSL_NEED_SHELLS") })).describe(name, tests);

/** What is typed, and what it is completed with. */
const CASES: readonly (readonly [line: string, found: readonly string[]])[] = [
  ["ggsl ev", ["eval"]],
  ["ggsl com", ["compare", "compile", "completion"]],
  ["ggsl eval --back", ["--backend"]],
  ["ggsl eval --backend r", ["reference"]],
  ["ggsl eval --backend=w", ["wasm"]],
  ["ggsl eval -e min_", ["min_k", "min_p", "min_tokens", "min_z"]],
  ["ggsl compile --emit ", ["json", "text", "dot", "onnx", "numpy", "torch"]],
  ["ggsl check --limits s", ["strict"]],
  ["ggsl check ", ["one.ggsl", "two.ggsl", "sub folder"]],
  ["ggsl check one.ggsl t", ["two.ggsl"]],
  ["ggsl run o", ["one.ggsl"]],
  ["ggsl run --model m", ["model.gguf"]],
  ["ggsl eval --vocab ", ["model.gguf", "list.json", "sub folder"]],
  ["ggsl run --grammar g", ["g.gbnf"]],
  ["ggsl check --root ", ["sub folder"]],
  ["ggsl import n", ["notes.txt"]],
  ["ggsl test --backend reference,w", ["reference,wasm"]],
  ["ggsl completion f", ["fish"]],
  ["ggsl run --seed ", []],
];

test("the command prints the scripts, of every command and option", () => {
  expect(listed.map(({ name }) => name)).toEqual(Object.keys(COMMANDS));
  for (const [shell, script] of [
    ["bash", bashScript],
    ["zsh", zshScript],
    ["fish", fishScript],
  ] as const) {
    const { stdout, status } = spawnSync(process.execPath, [MAIN, "completion", shell], { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout).toBe(script(listed));
    for (const { name, flags } of listed) {
      expect(stdout).toContain(name);
      for (const { long } of flags) expect(stdout).toContain(shell === "fish" ? `-l ${long.slice(2)}` : long);
    }
    for (const name of STD_NAMES) expect(stdout).toMatch(new RegExp(`[ ("']${name}[ )"']`));
  }
  expect(spawnSync(process.execPath, [MAIN, "completion", "tcsh"]).status).toBe(2);
});

inShell("bash", () => {
  /** The words of a line as readline splits them. */
  const words = (line: string): string[] => line.split(/\s+|(=)/).filter((word) => word !== undefined);

  test.each(CASES)("%j", (line, found) => {
    const script = 'source .bash; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _ggsl; printf "%s\\n" "${COMPREPLY[@]}"';
    const args = ["--norc", "-c", script, "bash", ...words(line)];
    const { stdout, stderr } = spawnSync("bash", args, { encoding: "utf8", cwd: folder });
    expect(stderr).toBe("");
    expect(
      stdout
        .split("\n")
        .filter((word) => word !== "")
        .toSorted(),
    ).toEqual(found.toSorted());
  });

  needing(TERMINAL).test("typed in a terminal", async () => {
    const env = { ...process.env, PS1: "$ ", HISTFILE: "" };
    const shell = startInTerminal(["bash", "--norc", "-i"], { cwd: folder, env });
    shell.type("ggsl() { printf '<%s>' \"$@\"; echo; }; source .bash; echo rea''dy\r");
    await shell.until(/ready/);
    shell.type("ggsl ev\t--back\tref\t--vocab mod\tone\t\r");
    expect(await shell.until(/<eval>.*>/)).toBe("<eval><--backend><reference><--vocab><model.gguf><one.ggsl>");
    shell.type("ggsl check sub\t\r");
    await shell.until(/<check><sub folder\/>/);
    shell.type("exit\r");
    await shell.ended;
  });
});

inShell("fish", () => {
  test("each line", () => {
    const script = `source .fish; for line in $argv; echo "== $line"; complete -C "$line"; end`;
    const { stdout, stderr } = spawnSync("fish", ["--no-config", "-c", script, ...CASES.map(([line]) => line)], {
      encoding: "utf8",
      cwd: folder,
      env: { ...process.env, HOME: folder },
    });
    expect(stderr).toBe("");
    const found = stdout
      .split(/^== /m)
      .slice(1)
      .map((part) => {
        const [line, ...rest] = part.trimEnd().split("\n");
        const plain = (text: string): string =>
          text
            .split("\t")[0]!
            .replaceAll("\\", "")
            .replace(/\/$/, "")
            .replace(/^--\w+=/, "");
        return [line!.trim(), rest.map(plain).toSorted()];
      });
    // fish offers folders before it knows that a file of the name is there
    expect(found).toEqual(CASES.map(([line, words]) => [line.trim(), words.toSorted()]));
  });
});

inShell("zsh", () => {
  /** What is before the comma stays. */
  const lastItem = (word: string): string => word.replace(/.*,/, "");

  needing(TERMINAL).test("each line, typed in a terminal", async () => {
    const env = { ...process.env, HOME: folder, ZDOTDIR: folder };
    const shell = startInTerminal(["zsh", "-f", "-i"], { cwd: folder, env });
    // what would be listed is printed
    const setup = [
      "unsetopt beep prompt_sp; PS1='> '; autoload -Uz compinit; compinit -u -D; source .zsh",
      'compadd() { if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\\ * ]]; then local -a hits; builtin compadd -A hits "$@"; found+=($hits); fi; builtin compadd "$@" }',
      'list() { found=(); zle complete-word; print -r -- "<<${(j:|:)found}>>"; BUFFER=; zle reset-prompt }',
      "typeset -ga found; zle -C complete-word complete-word _main_complete; zle -N list; bindkey '^X' list; print rea''dy",
    ];
    for (const line of setup) shell.type(`${line}\r`);
    await shell.until(/ready/);
    for (const [line, found] of CASES) {
      shell.type(`${line}\x18`);
      const text = await shell.until(/<<([^>]*)>>/);
      const words = text
        .slice(2, -2)
        .replaceAll("\\", "")
        .split("|")
        .map((word) => word.replace(/\/$/, ""))
        .filter((word) => word !== "");
      expect([line, [...new Set(words)].toSorted()]).toEqual([line, found.map(lastItem).toSorted()]);
    }
    shell.type("\x04");
    await shell.ended;
  });
});

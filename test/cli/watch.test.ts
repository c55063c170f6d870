/** `--watch` with real changes of files, in processes with pipes and in a terminal. */
import { afterAll, afterEach, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { readSource } from "../../cli/files.js";
import { watch } from "../../cli/watch.js";
import { TERMINAL, needing } from "../needs.js";
import { endAll, MAIN, start, startInTerminal } from "./run.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-watch-"));
afterEach(endAll);
afterAll(() => rmSync(folder, { recursive: true }));

const path = (...parts: string[]): string => join(folder, ...parts);
let folders = 0;
/** A folder of its own, with these files. */
function project(files: Readonly<Record<string, string>>): string {
  const cwd = path(`project${++folders}`);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(cwd, name, ".."), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return cwd;
}

/** Replaces a file as editors do: a new file takes its name. */
function replace(file: string, text: string): void {
  writeFileSync(`${file}~`, text);
  renameSync(`${file}~`, file);
}

const sampler = (factor: number): string => `sampler mine() { logit *= ${factor} }\n`;
const CHAIN = 'import { mine } from "./lib/mine.ggsl"\nimport { greedy } from "std"\nchain c = mine() |> greedy()\n';
const WATCHING = /watching \d+ files?; Ctrl-C ends\n/;

describe("a process", () => {
  test("check follows the program, its imports, replaced and removed files", async () => {
    const cwd = project({ "main.ggsl": CHAIN, "lib/mine.ggsl": sampler(2) });
    const run = start(["check", "main.ggsl", "--watch"], { cwd });
    await run.until(/1 file checked: 0 errors/);
    await run.until(/watching 2 files; Ctrl-C ends\n/);
    // the program, by a new file of its name
    replace(join(cwd, "main.ggsl"), CHAIN.replace("greedy()\n", "greed()\n"));
    await run.until(/E0202[^]*1 file checked: 1 error/);
    await run.until(WATCHING);
    replace(join(cwd, "main.ggsl"), CHAIN);
    await run.until(/0 errors[^]*watching/);
    // an import, written in place
    writeFileSync(join(cwd, "lib/mine.ggsl"), "sampler mine() { logit *= \n");
    await run.until(/lib\/mine.ggsl:[^]*1 error[^]*watching/);
    // an import, absent for a moment and then for long
    rmSync(join(cwd, "lib/mine.ggsl"));
    await sleep(10);
    writeFileSync(join(cwd, "lib/mine.ggsl"), sampler(3));
    await run.until(/0 errors[^]*watching/);
    rmSync(join(cwd, "lib"), { recursive: true });
    await run.until(/E0205[^]*watching/);
    mkdirSync(join(cwd, "lib"));
    writeFileSync(join(cwd, "lib/mine.ggsl"), sampler(4));
    await run.until(/0 errors[^]*watching/);
    // no terminal: nothing is cleared
    expect(run.output()).not.toContain("\x1b");
    run.kill("SIGINT");
    expect(await run.ended).toEqual({ status: 0, signal: null });
  });

  test("check finds new files of folders and globs, and does not run for other files", async () => {
    const cwd = project({ "src/a.ggsl": sampler(2) });
    const run = start(["check", "src", "more/**/*.ggsl", "--watch", "--json"], { cwd });
    await run.until(/no file \*.ggsl matches "more[^]*watching/);
    mkdirSync(join(cwd, "more", "deep"), { recursive: true });
    writeFileSync(join(cwd, "more", "deep", "b.ggsl"), sampler(3));
    await run.until(/"files":\["src\/a.ggsl","more\/deep\/b.ggsl"\][^]*watching/);
    mkdirSync(join(cwd, "src", "new"));
    writeFileSync(join(cwd, "src", "notes.txt"), "");
    mkdirSync(join(cwd, "src", "node_modules"));
    writeFileSync(join(cwd, "src", "node_modules", "x.ggsl"), "no program");
    await sleep(300);
    writeFileSync(join(cwd, "src", "new", "c.ggsl"), sampler(4));
    const text = await run.until(/"version"[^]*watching/);
    expect(text).toContain('"files":["src/a.ggsl","src/new/c.ggsl","more/deep/b.ggsl"],"errors":0');
    run.kill("SIGTERM");
    expect(await run.ended).toEqual({ status: 0, signal: null });
  });

  test("eval follows logits; many writes are one run", async () => {
    const cwd = project({ "main.ggsl": CHAIN, "lib/mine.ggsl": sampler(2), "logits.json": "[1, 2, 3]" });
    const run = start(["eval", "main.ggsl", "--logits", "logits.json", "--watch", "--json"], { cwd });
    await run.until(/"token":2[^]*watching 3 files; Ctrl-C ends\n/);
    for (let i = 0; i < 20; i++) writeFileSync(join(cwd, "logits.json"), `[1, ${10 + i}, 3]`);
    await run.until(/"token":1[^]*"logit":58[^]*watching/);
    // fewer runs than writes; the first was before
    expect(run.output().split("watching").length - 1).toBeLessThan(20);
    // an error does not end it
    writeFileSync(join(cwd, "logits.json"), "[1, ");
    await run.until(/error: --logits: "logits.json" is not a JSON array[^]*watching/);
    writeFileSync(join(cwd, "logits.json"), "[9, 2, 3]");
    await run.until(/"token":0[^]*watching/);
    run.kill("SIGINT");
    expect(await run.ended).toEqual({ status: 0, signal: null });
  });

  test("test runs again; a link and its target are both watched", async () => {
    const block = (kept: string) => `${sampler(2)}test "t" { probs [1, 2] run mine() expect kept [${kept}] }\n`;
    const cwd = project({ "real/mine.ggsl": block("0") });
    symlinkSync(join(cwd, "real", "mine.ggsl"), join(cwd, "link.ggsl"));
    const run = start(["test", "link.ggsl", "--watch", "--backend", "reference"], { cwd });
    await run.until(/0 passed, 1 failed[^]*watching 1 file; Ctrl-C ends\n/);
    replace(join(cwd, "real", "mine.ggsl"), block("0, 1"));
    await run.until(/1 passed, 0 failed[^]*watching/);
    run.kill("SIGINT");
    expect(await run.ended).toEqual({ status: 0, signal: null });
  });

  test("standard input cannot be watched", () => {
    for (const args of [
      ["check", "-"],
      ["test", "-"],
      ["eval", "-", "--logits", "1,2"],
      ["eval", "-e", "top_k(1)", "--logits", "-"],
    ]) {
      const { status, stderr } = spawnSync(process.execPath, [MAIN, ...args, "--watch"], {
        encoding: "utf8",
        input: "[1]",
      });
      expect([args, status, stderr]).toEqual([
        args,
        2,
        "error: --watch reads files again, and standard input can be read once\n",
      ]);
    }
  });
});

needing(TERMINAL).test("a terminal is cleared before each run, and Ctrl-C ends the watch", async () => {
  const cwd = project({ "a.ggsl": sampler(2) });
  const run = startInTerminal([process.execPath, MAIN, "check", "a.ggsl", "--watch"], { cwd });
  await run.until(/\x1b\[2J\x1b\[H1 file checked: 0 errors[^]*watching/);
  writeFileSync(join(cwd, "a.ggsl"), "sampler");
  await run.until(/\x1b\[2J\x1b\[H[^]*1 error[^]*watching/);
  run.type("\x03");
  expect((await run.ended).status).toBe(0);
});

test("nothing is left after a watch, and nothing grows while it runs", async () => {
  const cwd = project({ "a.ggsl": sampler(2), "sub/b.ggsl": sampler(3) });
  const held = (): string[] => process.getActiveResourcesInfo().filter((name) => /FSEvent|Signal/.test(name));
  const before = [held(), process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];
  const [write, status] = [process.stderr.write, process.exitCode];
  process.stderr.write = () => true;
  const during: number[] = [];
  try {
    let runs = 0;
    await watch(
      () => {
        readSource(join(cwd, "a.ggsl"));
        during.push(held().length);
        runs++;
        // from outside the run, as an editor would
        const next = (): void =>
          runs < 12 ? replace(join(cwd, "a.ggsl"), sampler(runs)) : void process.emit("SIGINT", "SIGINT");
        setTimeout(next, 20);
      },
      { words: [cwd] },
    );
    expect(runs).toBe(12);
  } finally {
    process.stderr.write = write;
    process.exitCode = status;
  }
  const after = (): unknown => [held(), process.listenerCount("SIGINT"), process.listenerCount("SIGTERM")];
  for (let i = 0; i < 500 && !isDeepStrictEqual(after(), before); i++) await sleep(10);
  expect(after()).toEqual(before);
  // the first run is before the first watcher
  expect(new Set(during.slice(1)).size).toBe(1);
});

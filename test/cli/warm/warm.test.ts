/** Commands in one process print what a process for each prints. */
import { afterAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DEMO_MODEL } from "../../model/file.js";
import { MAIN } from "../run.js";
import { warm } from "./warm.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-warm-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, "good.ggsl"), 'import { greedy } from "std"\nchain c = greedy()\n');
writeFileSync(join(folder, "bad.ggsl"), "chain c = nothing()\n");
writeFileSync(join(folder, "odd.ggsl"), 'import { dist, top_k } from "std"\nchain   odd = top_k(3) |> dist()');

const commands = warm();
const coloured = warm({ FORCE_COLOR: "1", NO_COLOR: "" });

const RUN = ["run", "-e", "temp(0.8) |> dist(7)", "--model", DEMO_MODEL, "--backend", "cpu", "-n", "5"];
const COMMANDS: readonly (readonly [args: readonly string[], input?: string])[] = [
  [["check", "good.ggsl"]],
  [["check", "bad.ggsl"]],
  // the status of one command is not that of the next
  [["check", "good.ggsl"]],
  [["check", "-", "--json"], "chain c = nothing()\n"],
  // nor is its input
  [["check", "-"]],
  [["compile", "bad.ggsl"]],
  [["compile", "good.ggsl"]],
  [["fmt", "--check", "odd.ggsl", "good.ggsl"]],
  [["eval", "-e", "top_k(2)", "--logits", "-"], "[1, 3, 2]"],
  [["--version"]],
  [["explode"]],
  [["eval", "--no-such-option"]],
  [["help", "eval"]],
  [RUN],
  [[...RUN, "--model", "nowhere.gguf"]],
  [[...RUN, "--json", "--seed", "3"]],
];

test("commands one after the other", () => {
  const withoutTimes = (text: string): string => text.replace(/"\w*(?:[mM]s|Seconds|PerSecond)":[\d.]+/g, "");
  for (const [given, input = ""] of COMMANDS) {
    const args = given.map((word) => (word === DEMO_MODEL ? join(process.cwd(), word) : word));
    const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
      cwd: folder,
      input,
      encoding: "utf8",
    });
    const found = commands(args, { cwd: folder, input });
    expect([args, found.status, withoutTimes(found.stdout), found.stderr]).toEqual([
      args,
      status,
      withoutTimes(stdout),
      stderr,
    ]);
  }
});

test("the environment is the suite's", () => {
  expect(coloured(["check", "bad.ggsl"], { cwd: folder }).stderr).toContain("\x1b[");
  expect(commands(["check", "bad.ggsl"], { cwd: folder }).stderr).not.toContain("\x1b[");
});

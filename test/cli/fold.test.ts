/** Lines that fit a terminal of 80 columns. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needing, TERMINAL } from "../needs.js";
import { fold } from "../../cli/fold.js";
import { MAIN } from "./run.js";

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => line.length));

describe("long lines", () => {
  const sentence = "warning: the chain runs on the CPU from `top_p` on, and 16384 bytes are read back per token\n";

  test("are broken at blanks, with no word lost, and go on indented", () => {
    const folded = fold(sentence, 50);
    expect(folded).toBe(
      "warning: the chain runs on the CPU from `top_p`\n  on, and 16384 bytes are read back per token\n",
    );
  });

  test("of a table go on below its last column", () => {
    const row = "top_a(0.15)  cpu  soft_max sqr scale sub step arange add clamp";
    expect(fold(row, 40)).toBe("top_a(0.15)  cpu  soft_max sqr scale sub\n                  step arange add clamp");
  });

  test("keep their colours, which have no width", () => {
    const red = `\x1b[1;31merror\x1b[0m: ${"word ".repeat(6).trim()}`;
    expect(fold(red, 40)).toBe(red);
    expect(fold(`${red} word word`, 40)).toBe(`\x1b[1;31merror\x1b[0m: word word word word word word\n  word word`);
  });

  test.each([
    ["a word that is longer than the line", `error: ${"x".repeat(90)}`],
    ["source lines of diagnostics", `1 | chain c = ${"temp(1) |> ".repeat(12)}dist()`],
    ["commands to copy, which are indented", `  1. apt-get install ${"package ".repeat(12)}`],
  ])("stay whole: %s", (_what, line) => {
    const text = fold(line, 80);
    expect(text.replace(/\n */g, " ")).toBe(line);
    expect(text.split("\n").length).toBeLessThanOrEqual(2);
  });

  test("stay as they are where the width is not known, or too small for words", () => {
    expect([fold(sentence, undefined), fold(sentence, 0), fold(sentence, 20)]).toEqual([sentence, sentence, sentence]);
  });
});

const folder = mkdtempSync(join(tmpdir(), "ggsl-fold-"));
afterAll(() => rmSync(folder, { recursive: true }));
writeFileSync(
  join(folder, "wide.ggsl"),
  'import { top_k, temp, dist } from "std"\nsampler top_a(a: f32 in [0, 1] = 0.2) { keep prob >= a * max(prob) ^ 2 }\n' +
    "chain c(t: f32 >= 0 = 0.9) = top_k(40) |> top_a(0.15) |> temp(t) |> dist(seed: 42)\n",
);
writeFileSync(
  join(folder, "settings.json"),
  '{ "do_sample": true, "temperature": 0.7, "num_beams": 4, "max_new_tokens": 100, "top_k": 20 }',
);

const COMMANDS: readonly (readonly string[])[] = [
  ["run", "wide.ggsl", "-n", "4", "--backend", "cpu", "--stats"],
  ["run", "-e", "top_k(40)"],
  ["explain", "wide.ggsl"],
  ["devices"],
  ["import", "settings.json", "-o", "out.ggsl"],
  ["compare", "wide.ggsl", "--texts", "2", "-n", "4", "--backend", "cpu"],
  ["init", "."],
];

needing(TERMINAL).describe("in a terminal of 80 columns", () => {
  test.each(COMMANDS)("ggsl %s %s", (...words) => {
    const command = [process.execPath, MAIN, ...words].map((word) => `'${word}'`).join(" ");
    const { stdout } = spawnSync("script", ["-qefc", `stty cols 80; exec ${command}`, "/dev/null"], {
      encoding: "utf8",
      cwd: folder,
      input: "",
      env: { ...process.env, TERM: "xterm", NO_COLOR: "1", FORCE_COLOR: "", CI: "true" },
    });
    const text = stdout.replaceAll("\r\n", "\n");
    expect(text).not.toBe("");
    expect(text.split("\n").filter((line) => line.length > 80 && line.slice(2).includes(" "))).toEqual([]);
    expect(widest(text)).toBeGreaterThan(10);
  });
});

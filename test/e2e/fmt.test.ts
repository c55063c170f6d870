/** `ggsl fmt` as a user runs it. */
import { afterAll, expect, test } from "@jest/globals";
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { warm } from "../cli/warm/warm.js";
import type { Result } from "../codegen/ggsl.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-fmt-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = warm();
const fmt = (args: readonly string[], input = ""): Result => run(["fmt", ...args], { input });

function file(name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const UGLY = "chain  c=top_k( 40 )|>dist // a chain\n";
const PRETTY = "chain c = top_k(40) |> dist // a chain\n";

test("files that differ are rewritten, others are not touched", () => {
  const [ugly, pretty] = [file("ugly.ggsl", UGLY), file("pretty.ggsl", PRETTY)];
  utimesSync(pretty, 1000, 1000);
  expect(fmt([ugly, pretty])).toMatchObject({ status: 0, stdout: `formatted ${ugly}\n`, stderr: "" });
  expect(readFileSync(ugly, "utf8")).toBe(PRETTY);
  expect(statSync(pretty).mtimeMs).toBe(1_000_000);
});

test("--check names the files, writes nothing, and fails", () => {
  const [ugly, pretty] = [file("ugly.ggsl", UGLY), file("pretty.ggsl", PRETTY)];
  const { status, stdout } = fmt(["--check", ugly, pretty]);
  expect([status, stdout]).toEqual([1, `${ugly} is not in canonical form\n`]);
  expect(readFileSync(ugly, "utf8")).toBe(UGLY);
  expect(fmt(["--check", pretty])).toMatchObject({ status: 0, stdout: "" });
});

test("- is standard input", () => {
  expect(fmt(["-"], UGLY)).toMatchObject({ status: 0, stdout: PRETTY });
  expect(fmt(["--check", "-"], UGLY)).toMatchObject({ status: 1, stdout: "- is not in canonical form\n" });
  expect(fmt(["-"], "chain")).toMatchObject({ status: 1, stdout: "" });
});

test("a syntax error is shown, its file stays as it is, and the other files are formatted", () => {
  const [faulty, ugly] = [file("faulty.ggsl", "chain  c = \n"), file("ugly.ggsl", UGLY)];
  const { status, stdout, stderr } = fmt([faulty, ugly]);
  expect([status, stdout]).toEqual([1, `formatted ${ugly}\n`]);
  expect(stderr).toContain("error[E0101]: unexpected end of input");
  expect(readFileSync(faulty, "utf8")).toBe("chain  c = \n");
});

test("byte order marks and the line ends of Windows go", () => {
  const windows = file("windows.ggsl", `\uFEFF${PRETTY.replace("\n", "\r\n")}`);
  expect(fmt([windows]).status).toBe(0);
  expect(readFileSync(windows, "utf8")).toBe(PRETTY);
});

test("what is not text, or is not there, is an error", () => {
  const bytes = Uint8Array.of(0x2f, 0x2f, 0xff, 0xfe);
  const binary = file("binary.ggsl", bytes);
  expect(fmt([binary])).toMatchObject({ status: 1, stderr: `error: "${binary}" is not UTF-8 text\n` });
  expect(new Uint8Array(readFileSync(binary))).toEqual(bytes);
  expect(fmt([join(folder, "nothing.ggsl")]).stderr).toMatch(/cannot be read: there is no such file/);
  expect(fmt([]).status).toBe(2);
});

/** `ggsl init`: the printed commands work as they are, and nothing is overwritten. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { MAIN } from "./run.js";

// inside the checkout, so that `npx ggsl` is its command
const folder = resolve("build/init-test");
const remove = (): void => rmSync(folder, { recursive: true, force: true });
beforeAll(() => {
  remove();
  mkdirSync(folder, { recursive: true });
});
afterAll(remove);

const init = (...args: readonly string[]) =>
  spawnSync(process.execPath, [MAIN, "init", ...args], { encoding: "utf8", cwd: folder });

test("the three next commands work", () => {
  const { status, stdout, stderr } = init("my samplers");
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(stdout).toMatch(/^wrote my samplers\/first\.ggsl\n\nNext:\n/);
  expect(readdirSync(resolve(folder, "my samplers"))).toEqual(["first.ggsl"]);
  const commands = [...stdout.matchAll(/^ {2}(npx ggsl .*)$/gm)].map(([, command]) => command!);
  expect(commands).toHaveLength(3);
  const [tested, evaluated, generated] = commands.map((command) => {
    const result = spawnSync("bash", ["-c", command], { encoding: "utf8", cwd: folder });
    expect([command, result.status, result.stderr.replace(/^npm warn .*\n/gm, "")]).toEqual([command, 0, ""]);
    return result.stdout;
  });
  expect(tested).toMatch(/^1 passed, 0 failed/);
  expect(evaluated).toMatch(/^token +logit +prob\n[^]*\ntoken \d, on /);
  expect(generated).toMatch(/^In the beginning\S? \S[^]{20}/);
});

test("the program is in canonical form and has no warning", () => {
  expect(init("plain").status).toBe(0);
  const ggsl = (...args: readonly string[]) =>
    spawnSync(process.execPath, [MAIN, ...args], { encoding: "utf8", cwd: folder });
  expect(ggsl("fmt", "plain", "--check")).toMatchObject({ status: 0, stdout: "" });
  expect(ggsl("check", "plain").stdout).toBe("1 file checked: 0 errors, 0 warnings\n");
});

test("files stay as they are", () => {
  writeFileSync(resolve(folder, "first.ggsl"), "mine");
  const again = init();
  expect(again).toMatchObject({ status: 1, stdout: "" });
  expect(again.stderr).toBe(
    'error: "first.ggsl" exists, and is not overwritten: name another folder, as in ggsl init NAME\n',
  );
  expect(readFileSync(resolve(folder, "first.ggsl"), "utf8")).toBe("mine");
  const below = init("first.ggsl/sub");
  expect(below.status).toBe(1);
  expect(below.stderr).toMatch(/^error: "first.ggsl\/sub\/first.ggsl" cannot be written: /);
});

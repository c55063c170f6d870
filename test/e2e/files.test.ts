/** Which files the tools read: a program from a stranger can import anything, and a name can be that of a device. */
import { afterAll, describe, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ggslPlugin from "../../vite/plugin.js";
import { warm } from "../cli/warm/warm.js";
import type { Result } from "../codegen/ggsl.js";
import { startClient } from "../lsp/client.js";

const folder = mkdtempSync(join(tmpdir(), "ggsl-files-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SAMPLER = "sampler mine() { logit *= 2 }\n";
const SECRET = "root:x:0:0:secret\n";
const path = (...parts: string[]): string => join(folder, ...parts);

mkdirSync(path("project", "lib"), { recursive: true });
writeFileSync(path("outside.ggsl"), SAMPLER);
writeFileSync(path("secret"), SECRET);
writeFileSync(path("project", "lib", "inside.ggsl"), SAMPLER);
writeFileSync(path("project", "lib", "up.ggsl"), 'import { mine } from "../near.ggsl"\nchain upper = mine()\n');
writeFileSync(path("project", "near.ggsl"), SAMPLER);
symlinkSync(path("secret"), path("project", "link.ggsl"));
symlinkSync(path("project", "near.ggsl"), path("project", "inner.ggsl"));
symlinkSync(folder, path("project", "folder"));
symlinkSync("/dev/zero", path("project", "zero.ggsl"));
writeFileSync(path("project", "huge.ggsl"), "");
truncateSync(path("project", "huge.ggsl"), 2 ** 40);
expect(spawnSync("mkfifo", [path("project", "fifo.ggsl")]).status).toBe(0);

const run = warm();

/** Runs the command; one that hangs is ended, and fails. */
function ggsl(args: readonly string[], input?: string): Result {
  const result = run(args, { cwd: path("project"), input });
  expect([args, result.status]).not.toEqual([args, null]);
  return result;
}

const program = (from: string): string => `import { mine } from "${from}"\nchain c = mine()\n`;
const importing = (from: string): string => {
  writeFileSync(path("project", "main.ggsl"), program(from));
  return "main.ggsl";
};
const up = "../".repeat(12);

const REFUSED: readonly (readonly [what: string, from: string, code: string, reason: string])[] = [
  ["a file beside the folder", "../outside.ggsl", "E0225", "it is outside the folder"],
  ["/etc/passwd", `${up}etc/passwd`, "E0225", "it is outside the folder"],
  ["/dev/zero", `${up}dev/zero`, "E0225", "it is outside the folder"],
  ["a link out of the folder", "./link.ggsl", "E0225", "it is a link to a file that is outside the folder"],
  ["a link to a device", "./zero.ggsl", "E0225", "it is a link to a file that is outside the folder"],
  ["a folder that leads out", "./folder/secret", "E0225", "it is a link to a file that is outside the folder"],
  ["a FIFO", "./fifo.ggsl", "E0225", "it is not a regular file"],
  ["a folder", "./lib", "E0225", "it is a folder"],
  ["a file of a terabyte", "./huge.ggsl", "E0225", "it has 1099511627776 bytes; at most 4194304 are allowed"],
  ["no file", "./none.ggsl", "E0205", "cannot be read"],
];

describe("the command line", () => {
  test.each(REFUSED)("refuses to import %s", (_, from, code, reason) => {
    for (const command of [
      ["check", importing(from)],
      ["compile", importing(from)],
      ["gen", importing(from), "-o", "-"],
      ["export", importing(from), "--to", "llama.cpp"],
      ["eval", importing(from), "--logits", "1,2"],
    ]) {
      const { status, stdout, stderr } = ggsl(command);
      expect([command[0], status, stderr]).toEqual([command[0], 1, expect.stringContaining(code)]);
      expect(stderr).toContain(reason);
      expect(stdout + stderr).not.toMatch(/secret\n|root:x/);
    }
  });

  test("imports below the folder, also through links inside it", () => {
    for (const from of ["./lib/inside.ggsl", "./near.ggsl", "./inner.ggsl", "lib/../near.ggsl"])
      expect([from, ggsl(["check", importing(from)])]).toMatchObject([from, { status: 0 }]);
    // a file of the folder may import one above it that is still in the folder
    writeFileSync(path("project", "main.ggsl"), 'import { upper } from "./lib/up.ggsl"\nchain c = upper()\n');
    expect(ggsl(["check", "main.ggsl"])).toMatchObject({ status: 0 });
    // but not if it is the file that was named
    expect(ggsl(["check", "lib/up.ggsl"]).stderr).toContain('outside the folder "lib"');
  });

  test("--root gives a higher folder", () => {
    for (const command of [
      ["check", "lib/up.ggsl", "--root", "."],
      ["compile", importing("../outside.ggsl"), "--root", ".."],
      ["eval", importing("../outside.ggsl"), "--root", folder, "--logits", "1,2"],
      ["check", path("project", "main.ggsl"), "--root", folder],
    ])
      expect([command, ggsl(command)]).toMatchObject([command, { status: 0 }]);
    const { stdout } = ggsl(["gen", importing("../outside.ggsl"), "--root", "..", "-o", "-"]);
    expect(stdout).toContain("`ggsl gen main.ggsl --root ..`");
    expect(ggsl(["check", importing(`${up}etc/passwd`), "--root", ".."]).stderr).toContain("E0225");
  });

  // check and fmt take folders
  test.each([
    ["a program", ["check"], []],
    ["a program to compile", ["compile"], ["lib"]],
    ["a program to format", ["fmt", "--check"], []],
    ["settings", ["import"], ["lib"]],
    ["logits", ["eval", "-e", "top_k(1)", "--logits"], ["lib"]],
    ["the text so far", ["eval", "-e", "top_k(1)", "--logits", "1,2", "--history"], ["lib"]],
  ])("a name of %s can be no device, FIFO or folder", (_, before, folders) => {
    for (const [name, reason] of [
      ["/dev/zero", "it is not a regular file"],
      ["fifo.ggsl", "it is not a regular file"],
      ...folders.map((folder) => [folder, "it is a folder"] as const),
      ["none", "there is no such file"],
    ] as const) {
      const { status, stdout, stderr } = ggsl([...before, name]);
      expect([name, status, stderr + stdout]).toEqual([
        name,
        1,
        expect.stringContaining(`"${name}" cannot be read: ${reason}`),
      ]);
    }
  });

  test("a spec that is no regular file, and files that are too large", () => {
    symlinkSync("/dev/zero", path("project", "x.graph.json"));
    expect(ggsl(["explain", "x.graph.json"]).stderr).toContain("it is not a regular file");
    for (const [args, limit] of [
      [["check", "huge.ggsl"], 2 ** 22],
      [["eval", "-e", "top_k(1)", "--logits", "huge.ggsl"], 2 ** 28],
    ] as const)
      expect(ggsl(args).stderr + ggsl(args).stdout).toContain(
        `it has 1099511627776 bytes; at most ${limit} are allowed`,
      );
  });

  test("standard input is read, up to the same limit", () => {
    expect(ggsl(["check", "-"], SAMPLER)).toMatchObject({ status: 0 });
    expect(ggsl(["eval", "-e", "top_k(1)", "--logits", "-"], "[1, 2, 3]")).toMatchObject({ status: 0 });
    const { stderr } = ggsl(["check", "-"], "#".repeat(2 ** 22 + 1));
    expect(stderr).toContain('"-" cannot be read: it has more than the 4194304 bytes that are allowed');
  });
});

test("the language server refuses the same imports below the folder of the workspace", async () => {
  const client = await startClient();
  const inside = client.write("near.ggsl", SAMPLER);
  expect(inside).toContain("near.ggsl");
  const good = await client.open("a.ggsl", program("./near.ggsl"));
  expect(good).toEqual([]);
  for (const [from, code, reason] of [
    [`${up}etc/passwd`, "E0225", "outside the folder"],
    [`${up}dev/zero`, "E0225", "outside the folder"],
    [`${up}${path("project", "fifo.ggsl").slice(1)}`, "E0225", "outside the folder"],
    ["./none.ggsl", "E0205", "cannot be read"],
  ] as const) {
    const [fault] = await client.change("a.ggsl", program(from));
    expect([from, fault?.code, fault?.message]).toEqual([from, code, expect.stringContaining(reason)]);
  }
  // a document outside the workspace: its own folder
  const uri = pathToFileURL(path("project", "main.ggsl")).href;
  for (const [i, [, from, code]] of REFUSED.entries()) {
    const found = i === 0 ? await client.open(uri, program(from)) : await client.change(uri, program(from));
    expect([from, found[0]?.code]).toEqual([from, code]);
  }
  expect(await client.change(uri, program("./lib/inside.ggsl"))).toEqual([]);
  // completion and definitions read imports, too
  const params = { textDocument: { uri }, position: { line: 0, character: 9 } };
  await client.change(uri, program("./fifo.ggsl"));
  await client.request("textDocument/completion", params);
  await client.request("textDocument/definition", { ...params, position: { line: 0, character: 26 } });
  expect(await client.stop()).toBe(0);
});

test("the plugin for bundlers refuses them below the project's folder", () => {
  const plugin = ggslPlugin({ dts: false });
  plugin.configResolved({ root: path("project") });
  const errors: string[] = [];
  const context = {
    addWatchFile: () => undefined,
    warn: () => undefined,
    error(log: { readonly message: string }): never {
      errors.push(log.message);
      throw new Error(log.message);
    },
  };
  for (const [, from, code] of REFUSED) {
    expect(() => plugin.transform.call(context, program(from), path("project", "main.ggsl"))).toThrow();
    expect(errors.at(-1)).toContain(code);
  }
  // the project's folder, not the file's
  expect(plugin.transform.call(context, program("../near.ggsl"), path("project", "lib", "main.ggsl"))?.code).toContain(
    "mine",
  );
});

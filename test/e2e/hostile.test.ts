/** Files that are not what a command expects. */
import { afterAll, expect, test } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "ggsl-hostile-"));
afterAll(() => rmSync(folder, { recursive: true }));

const PROGRAM = 'import { dist } from "std"\r\nchain c = dist(1)\r\n';

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function ggsl(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const command = ["runtime/dist/cli/main.js", ...args];
  return spawnSync(process.execPath, command, { encoding: "utf8", timeout: 50_000 });
}

test("programs in other encodings, without content, or too large", () => {
  const big = file("big.ggsl", "");
  truncateSync(big, 2 ** 30);
  const cases: readonly (readonly [string, string | undefined])[] = [
    [file("bom.ggsl", `\uFEFF${PROGRAM}`), undefined],
    [file("latin1.ggsl", Buffer.from(`${PROGRAM}// caf\xe9\n`, "latin1")), "it is not UTF-8 text, see line 3"],
    [file("utf16.ggsl", Buffer.from(`\uFEFF${PROGRAM}`, "utf16le")), "it is not UTF-8 text, but UTF-16"],
    [file("binary.ggsl", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0xff, 0, 0x80])), "it is not UTF-8 text, see line 1"],
    [big, "it has 1073741824 bytes; at most 4194304 are allowed"],
    ["/dev/null", "it is not a regular file"],
    [join(folder, "none.ggsl"), "there is no such file"],
  ];
  const { status, stdout } = ggsl("check", "--json", ...cases.map(([path]) => path));
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { file: string; code: string; message: string }[] };
  expect(status).toBe(1);
  const bad = cases.filter(([, message]) => message !== undefined);
  expect(diagnostics.map(({ file: path }) => path)).toEqual(bad.map(([path]) => path));
  for (const [path, message] of bad)
    expect(diagnostics.find((one) => one.file === path)).toMatchObject({
      code: "UNREADABLE_FILE",
      message: expect.stringContaining(`"${path}" cannot be read: ${message}`) as unknown,
    });
});

test("texts beside the program are UTF-8 too", () => {
  const bytes = Buffer.from('root ::= "\xe9"', "latin1");
  for (const option of ["--grammar", "--json-schema"]) {
    const { status, stderr } = ggsl("run", "-e", "dist()", option, file("latin1.gbnf", bytes));
    expect([status, stderr]).toEqual([1, expect.stringContaining("it is not UTF-8 text, see line 1") as unknown]);
  }
});

test("outputs that cannot be written, or compared", () => {
  const program = file("program.ggsl", PROGRAM);
  const missing = join(folder, "none", "out.ts");
  expect(ggsl("compile", program, "-o", missing)).toMatchObject({
    status: 1,
    stderr: `error: "${missing}" cannot be written: there is no such folder\n`,
  });
  // a device never ends
  if (existsSync("/dev/full"))
    expect(ggsl("gen", program, "-o", "/dev/full")).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^error: "\/dev\/full" cannot be read: it is not a regular file/) as unknown,
    });
});

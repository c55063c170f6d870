/** curl as a client, and the blocks of docs/server.md and docs/apis.md for callers. test/server/clients has the others. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { transformSync } from "esbuild";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { needing, program } from "../needs.js";
import { openDemo } from "./clients/demo.js";
import type { Opened } from "./open.js";

const run = promisify(execFile);

let server: Opened;
beforeAll(async () => {
  server = await openDemo({ alias: "MODEL" });
});
afterAll(() => server.close(0));

describe("docs/server.md and docs/apis.md", () => {
  const ADDRESS = "http://127.0.0.1:8080";
  const page = ["server", "apis"].map((name) => readFileSync(`docs/${name}.md`, "utf8")).join("\n");
  const blocksOf = (kind: string): string[] =>
    [...page.matchAll(/^```([^\n]*)\n([^]*?)^```$/gm)].filter(([, name]) => name === kind).map(([, , text]) => text!);
  const here = (text: string): string => text.replaceAll(ADDRESS, server.url);
  const folder = join("build", "docs-clients");
  beforeAll(() => void mkdirSync(folder, { recursive: true }));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const CURLS = blocksOf("sh").flatMap((text) =>
    text
      .replaceAll("\\\n", " ")
      .split(/\n(?=\S)/)
      .filter((line) => line.startsWith("curl ")),
  );
  needing(program(["curl"])).test("each curl command gets an answer", async () => {
    expect(CURLS.length).toBeGreaterThanOrEqual(7);
    for (const line of CURLS) {
      expect(line).toContain(ADDRESS);
      const { stdout } = await run("bash", [
        "-c",
        here(line).replace(/^curl /, "curl --silent --show-error --fail-with-body "),
      ]);
      const text = stdout.startsWith("data: ") ? stdout.split("\n")[0]!.slice("data: ".length) : stdout;
      const { error } = JSON.parse(text) as { readonly error?: unknown };
      expect([line, error ?? null]).toEqual([line, null]);
    }
  });

  const SCRIPTS = blocksOf("ts client");
  test.each(SCRIPTS.map((text, i) => [/from "([^"]+)"/.exec(text)![1]!, i] as const))("%s runs", async (name, i) => {
    const text = SCRIPTS[i]!;
    expect(text).toContain(ADDRESS);
    const { code } = transformSync(here(text), { loader: "ts", target: "es2022", format: "esm" });
    const file = join(folder, `${i}.mjs`);
    writeFileSync(file, code);
    const { stdout, stderr } = await run(process.execPath, [file]);
    expect({ name, stderr, isEmpty: stdout.trim() === "" }).toEqual({ name, stderr: "", isEmpty: false });
  });
  test("there are blocks of both clients", () => {
    expect(SCRIPTS.map((text) => /from "([^"]+)"/.exec(text)![1])).toEqual(["openai", "@ai-sdk/openai-compatible"]);
  });
});

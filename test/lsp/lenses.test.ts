/** Lenses, and the commands behind them, which run `ggsl` on the text of the editor. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CodeAction, CodeLens } from "vscode-languageserver";
import type { Result } from "../../lsp/commands.js";
import { startClient, type Client } from "./client.js";

const PROGRAM = `import { top_k, temp, dist } from "std"
import { near } from "./near.ggsl"

chain inner = top_k(40) |> near(0.2)
chain first(t: f32 = 0.8) = inner() |> temp(t) |> dist(1)
chain open(static k: i32) = top_k(k)

test "far tokens are dropped" {
  probs  [0.5, 0.3, 0.15, 0.05]
  run    near(0.2)
  expect kept [0, 1, 2]
}

test "wrong" { probs [0.6, 0.4] run top_k(1) expect kept [1] }
`;
const NEAR = "sampler near(share: f32 in [0, 1] = 0.1) {\n  keep prob >= share * max(prob)\n}\n";

let client: Client;
let plain: Client;
beforeAll(async () => {
  client = await startClient({ initializationOptions: { results: true } });
  plain = await startClient({ capabilities: { window: { showDocument: { support: true } } } });
  for (const one of [client, plain]) {
    one.write("near.ggsl", NEAR);
    expect(await one.open("main.ggsl", PROGRAM)).toEqual([]);
  }
});
afterAll(async () => {
  expect(await client.stop()).toBe(0);
  expect(await plain.stop()).toBe(0);
});

const lensesOf = (one: Client, name = "main.ggsl"): Promise<CodeLens[]> =>
  one.request("textDocument/codeLens", { textDocument: { uri: one.uri(name) } });

async function run(one: Client, line: number, title: string): Promise<Result> {
  const lens = (await lensesOf(one)).find(
    ({ range, command }) => range.start.line === line && command?.title === title,
  );
  expect(lens).toBeDefined();
  return one.request("workspace/executeCommand", lens!.command!);
}

test("lenses are above tests, and above chains that need no further values", async () => {
  const found = (await lensesOf(client)).map(({ range, command }) => [range.start.line, command!.title]);
  const chain = ["run on the demo model", "show the graph", "explain"];
  const expected = [3, 4].flatMap((line) => chain.map((title) => [line, title]));
  expect(found).toEqual([...expected, [7, "test"], [13, "test"]]);
});

describe("commands return results to a client that asks for them", () => {
  test("a chain writes text, with the demo model", async () => {
    const result = await run(client, 4, "run on the demo model");
    expect(result).toMatchObject({ kind: "text", title: "Text of first" });
    expect((result as { text: string }).text).toMatch(/^In the beginning [^]{100}/);
  });

  test("the graph is a page with one drawing, without scripts", async () => {
    const result = await run(client, 4, "show the graph");
    expect(result).toMatchObject({ kind: "page", title: "Graph of first" });
    const { html } = result as { html: string };
    expect(html).toContain('aria-label="The graph of first"');
    expect(html).not.toContain('id="stages"');
    expect(html).not.toContain("<script");
  });

  test("the explanation has every stage", async () => {
    const { html } = (await run(client, 4, "explain")) as { html: string };
    for (const stage of ["top_k(40)", "near(0.2)", "temp(t)", "dist(1)"]) expect(html).toContain(stage);
  });

  test("tests pass and fail, one at a time", async () => {
    expect(await run(client, 7, "test")).toMatchObject({ kind: "test", isPassed: true });
    const failed = await run(client, 13, "test");
    expect(failed).toMatchObject({ kind: "test", isPassed: false });
    expect((failed as { text: string }).text).toContain('"wrong"');
    expect((failed as { text: string }).text).toContain("0 passed, 1 failed");
  });

  test("the text of the editor counts, not that of the disk", async () => {
    client.write("edited.ggsl", "");
    await client.open("edited.ggsl", 'import { greedy } from "std"\nchain of_the_editor = greedy()\n');
    const [, graph] = await lensesOf(client, "edited.ggsl");
    expect(await client.request("workspace/executeCommand", graph!.command!)).toMatchObject({
      title: "Graph of of_the_editor",
    });
  });

  test("an error is the answer", async () => {
    await client.open("broken.ggsl", 'import { temp } from "std"\nchain broken = temp(1, 2)\n');
    const [lens] = await lensesOf(client, "broken.ggsl");
    const answer = client.request("workspace/executeCommand", lens!.command!);
    await expect(answer).rejects.toThrow(/error\[E\d+\][^]*broken\.ggsl:2/);
  });

  test("the action on a stage explains that stage; chains within count with their stages", async () => {
    const actionsAt = (line: number, character: number): Promise<CodeAction[]> =>
      client.request("textDocument/codeAction", {
        textDocument: { uri: client.uri("main.ggsl") },
        range: { start: { line, character }, end: { line, character } },
        context: { diagnostics: [] },
      });
    const line = PROGRAM.split("\n")[4]!;
    const [action, ...others] = await actionsAt(4, line.indexOf("temp") + 1);
    expect(others).toEqual([]);
    expect(action).toMatchObject({ title: "Explain the stage temp", command: { arguments: [{ stage: 3 }] } });
    const { html } = await client.request<{ html: string }>("workspace/executeCommand", action!.command!);
    expect(html).toMatch(/Stage 3 of[^]*temp\(t\)/);
    expect(html).not.toContain('id="optimizations"');
    expect(await actionsAt(4, line.indexOf("inner") + 1)).toEqual([]);
    expect(await actionsAt(0, 0)).toEqual([]);
  });
});

describe("other clients see results as documents and messages", () => {
  test("a page in a browser", async () => {
    expect(await run(plain, 4, "explain")).toBeNull();
    const { uri, external } = plain.shown.at(-1)!;
    expect(external).toBe(true);
    expect(readFileSync(fileURLToPath(uri!), "utf8")).toMatch(/^<!doctype html>/);
  });

  test("the verdict on a test as a message", async () => {
    await run(plain, 13, "test");
    expect(plain.shown.at(-1)).toMatchObject({
      type: 1,
      message: expect.stringContaining("0 passed, 1 failed") as unknown,
    });
    await run(plain, 7, "test");
    expect(plain.shown.at(-1)).toMatchObject({ type: 3, message: expect.stringContaining("1 passed") as unknown });
  });

  test("pages are removed when the server ends", async () => {
    const other = await startClient({ capabilities: { window: { showDocument: { support: true } } } });
    await other.open("c.ggsl", 'import { greedy } from "std"\nchain c = greedy()\n');
    const lens = (await lensesOf(other, "c.ggsl")).find(({ command }) => command!.command === "ggsl.graph");
    await other.request("workspace/executeCommand", lens!.command!);
    const file = fileURLToPath(other.shown.at(-1)!.uri!);
    expect(existsSync(file)).toBe(true);
    expect(await other.stop()).toBe(0);
    expect(existsSync(file)).toBe(false);
  });
});

test.each([
  ["ggsl.run", [{ uri: 1 }], /a command has one argument/],
  ["ggsl.run", [{ uri: "file:///a.ggsl", chain: "--help" }], /a command has one argument/],
  ["ggsl.run", [], /a command has one argument/],
  ["ggsl.explain", [{ uri: "file:///a.ggsl", chain: "c", stage: "--x" }], /a command has one argument/],
  ["ggsl.run", [{ uri: "file:///not/open.ggsl", chain: "c" }], /is not open/],
  ["ggsl.other", [], /unknown command|Unhandled/],
])("%s with %j is refused", async (command, args, message) => {
  await expect(client.request("workspace/executeCommand", { command, arguments: args })).rejects.toThrow(message);
});
